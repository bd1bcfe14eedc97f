import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BusEvent, functionOf, Processes, startEngine } from '@leads-and-stars/runner';
import { mostPerSecond } from '../../../lib/organizations/request-limit.ts';
import { givePatience } from '../../../tools/service/patience.ts';
import { type Prepared, type Service, startService } from '../../../tools/service/service.ts';
import { FaultProxy } from './fault-proxy.ts';
import type { Step } from './step.ts';

/** A whole service over an engine that can be made to fail. */
export interface FaultyService {
  service: Service;
  proxy: FaultProxy;
  /** The engine itself, which does not fail. */
  engine: string;
  /** What the functions have logged since this was last asked. */
  takeLog(): Promise<string>;
  /** Ends the processes of a function, as a machine that fails does. */
  kill(functionId: string): Promise<void>;
  /** Ends so the process whose requests have this session token. */
  killSender(sessionToken: string): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  environmentsPerFunction?: number;
  /** Whether functions share processes. Then whoever is killed takes others along. */
  sharesProcesses?: boolean;
  /** What happens to each request to the engine, beside the plans of who watches them. */
  steps?: readonly Step[];
  /** Starts an engine of one's own, with what is in it already. */
  makeEngine?: (processes: Processes) => Promise<string>;
  onEvent?: (event: BusEvent) => unknown;
  /** Whether changes are numbered, so that faults can strike that too. */
  isNumbered?: boolean;
  /** Whether a request may take as long as a slow machine needs: for tests of what has nothing to do with time. */
  isPatient?: boolean;
}

const patienceSeconds = 600;

/** From what is prepared, or else prepares it. */
export const startFaultyService = async (
  from: Prepared | undefined,
  {
    environmentsPerFunction = 2,
    sharesProcesses = false,
    steps,
    makeEngine = (processes) => startEngine(processes, 'memory'),
    onEvent,
    isNumbered = onEvent !== undefined,
    isPatient = false,
  }: Options = {},
): Promise<FaultyService> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const processes = new Processes();
    closers.push(() => processes.close());
    const engine = await makeEngine(processes);
    const proxy = await FaultProxy.start(engine, steps);
    closers.push(() => proxy.close());
    const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-faults-'));
    closers.push(() => rm(directory, { recursive: true }));
    const logFile = join(directory, 'functions.log');
    const service = await startService({
      ...(from && { prepared: from }),
      storage: { endpoint: proxy.endpoint },
      port: 0,
      environmentsPerFunction,
      sharesProcesses,
      // Which requests count is by chance: faults of that are for test/unit/admission/admission-limit.test.ts.
      // What is dear is counted, but by a limit that nothing here reaches.
      variables: { COUNT_ONE_REQUEST_IN: 'Infinity', REQUESTS_PER_SECOND: String(mostPerSecond) },
      logs: openSync(logFile, 'a'),
      streamMappings: isNumbered,
      ...(onEvent && { onEvent }),
    });
    closers.push(() => service.close());
    if (isPatient) givePatience(service.assembly, patienceSeconds);
    let taken = 0;
    const takeLog = async () => {
      const log = (await readFile(logFile)).subarray(taken);
      taken += log.length;
      return log.toString();
    };
    const kill = async (id: string) =>
      service.lambda.kill(functionOf(service.assembly.functions, id)!);
    const killSender = (token: string) => service.lambda.killSender(token);
    return { service, proxy, engine, takeLog, kill, killSender, close };
  } catch (error) {
    await close();
    throw error;
  }
};
