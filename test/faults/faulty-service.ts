import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BusEvent, functionOf, Processes, startEngine } from '@leads-and-stars/runner';
import { type Prepared, type Service, startService } from '../../tools/dev/service.ts';
import { prepared } from '../support/prepared.ts';
import { FaultProxy } from './fault-proxy.ts';

/** A whole service over an engine that can be made to fail. */
export interface FaultyService {
  service: Service;
  proxy: FaultProxy;
  /** The engine itself, which does not fail. */
  engine: string;
  logFile: string;
  /** Ends the processes of a function, as a machine that fails does. */
  kill(functionId: string): Promise<void>;
  /** Ends so the process whose requests have this session token. */
  killSender(sessionToken: string): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  environmentsPerFunction?: number;
  /** What stands for the engine. */
  store?: string;
  onEvent?: (event: BusEvent) => unknown;
  /** Whether changes are numbered, so that faults can strike that too. */
  numbered?: boolean;
}

/** In a test: from what the service of all tests is started from. */
export const startFaultyService = async (options?: Options): Promise<FaultyService> =>
  faultyServiceOf(await prepared(), options);

export const faultyServiceOf = async (
  from: Prepared,
  { environmentsPerFunction = 2, store, onEvent, numbered = onEvent !== undefined }: Options = {},
): Promise<FaultyService> => {
  const processes = new Processes();
  const engine = store ?? (await startEngine(processes, 'memory'));
  const proxy = await FaultProxy.start(engine);
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-faults-'));
  const logFile = join(directory, 'functions.log');
  const service = await startService({
    prepared: from,
    storage: { endpoint: proxy.endpoint },
    port: 0,
    environmentsPerFunction,
    // Which requests count is by chance: faults of that are for test/unit/handlers/http/admission-limit.test.ts.
    variables: { COUNT_ONE_REQUEST_IN: 'Infinity' },
    logs: openSync(logFile, 'a'),
    streamMappings: numbered,
    ...(onEvent && { onEvent }),
  });
  const { functions } = service.assembly;
  return {
    service,
    proxy,
    engine,
    logFile,
    kill: async (id) => service.lambda.kill(functionOf(functions, id)!),
    killSender: (sessionToken) => service.lambda.killSender(sessionToken),
    close: async () => {
      await service.close();
      await proxy.close();
      await processes.close();
      await rm(directory, { recursive: true });
    },
  };
};
