import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Processes, startEngine } from '@leads-and-stars/runner';
import { type Prepared, type Service, startService } from '../../tools/dev/service.ts';
import { CountingProxy } from './counting-proxy.ts';

/** A whole service over an engine whose every request is counted. */
export interface CountedService {
  service: Service;
  proxy: CountingProxy;
  /** The engine itself. */
  engine: string;
  /** What the functions have logged since this was last asked. */
  takeLog(): Promise<string>;
  close(): Promise<void>;
}

interface CountedOptions {
  /** Starts an engine of one's own, with what is in it already. */
  makeEngine?: (processes: Processes) => Promise<string>;
  prepared?: Prepared;
}

export const startCountedService = async ({
  makeEngine = (processes) => startEngine(processes, 'memory'),
  prepared,
}: CountedOptions = {}): Promise<CountedService> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const processes = new Processes();
    closers.push(() => processes.close());
    const engine = await makeEngine(processes);
    const proxy = await CountingProxy.start(engine);
    closers.push(() => proxy.close());
    const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-cost-'));
    closers.push(() => rm(directory, { recursive: true }));
    const logFile = join(directory, 'functions.log');
    const service = await startService({
      ...(prepared && { prepared }),
      storage: { endpoint: proxy.endpoint },
      port: 0,
      environmentsPerFunction: 1,
      // Which requests count is by chance: what that costs is for test/unit/handlers/http/admission-limit.test.ts.
      variables: { COUNT_ONE_REQUEST_IN: 'Infinity' },
      // What the stream's functions do is not part of a call.
      streamMappings: false,
      logs: openSync(logFile, 'a'),
    });
    closers.push(() => service.close());
    let taken = 0;
    const takeLog = async () => {
      const log = (await readFile(logFile)).subarray(taken);
      taken += log.length;
      return log.toString();
    };
    return { service, proxy, engine, takeLog, close };
  } catch (error) {
    await close();
    throw error;
  }
};
