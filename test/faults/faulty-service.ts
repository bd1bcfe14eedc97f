import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BusEvent } from '../../infra/local/events-out/pipe.ts';
import { Processes } from '../../infra/local/machine/processes.ts';
import { type Service, startService } from '../../infra/local/service.ts';
import { startEngine } from '../../infra/local/table/engine.ts';
import { functionOf } from '../../infra/local/template/functions.ts';
import { FaultProxy } from './fault-proxy.ts';

/** A whole service over an engine that can be made to fail. */
export interface FaultyService {
  service: Service;
  proxy: FaultProxy;
  /** The engine itself, which does not fail. */
  engine: string;
  logFile: string;
  /** Ends the processes of a function, or of all, as a machine that fails does. */
  kill(functionId?: string): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  environmentsPerFunction?: number;
  /** What stands for the engine. */
  store?: string;
  onEvent?: (event: BusEvent) => void;
}

export const startFaultyService = async ({
  environmentsPerFunction = 2,
  store,
  onEvent,
}: Options = {}): Promise<FaultyService> => {
  const processes = new Processes();
  const engine = store ?? (await startEngine(processes, 'memory'));
  const proxy = await FaultProxy.start(engine);
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-faults-'));
  const logFile = join(directory, 'functions.log');
  const service = await startService({
    storage: { endpoint: proxy.endpoint },
    port: 0,
    environmentsPerFunction,
    logs: openSync(logFile, 'a'),
    ...(onEvent && { onEvent }),
  });
  const { functions } = service.assembly;
  return {
    service,
    proxy,
    engine,
    logFile,
    kill: (id) =>
      killEnvironments((id ? [functionOf(functions, id)!] : functions).map(({ code }) => code)),
    close: async () => {
      await service.close();
      await proxy.close();
      await processes.close();
      await rm(directory, { recursive: true });
    },
  };
};

/** Found by the directory of their bundle, which is in this service's own temporary one. */
const killEnvironments = async (bundles: readonly string[]): Promise<void> => {
  const killed = readdirSync('/proc').filter((pid) => {
    const [, file = '', bundle = ''] = /^\d+$/.test(pid) ? commandLine(pid) : [];
    return file.endsWith('infra/local/lambda/runtime.ts') && bundles.includes(bundle) && kill(pid);
  });
  // Once they are gone, the runner has noticed.
  while (killed.some((pid) => existsSync(`/proc/${pid}`))) await wait(2);
};

const kill = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 'SIGKILL');
  } catch {
    return false; // It has ended meanwhile.
  }
};

const commandLine = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
};
