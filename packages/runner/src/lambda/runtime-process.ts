import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { type Processes, stop } from '../machine/processes.ts';

/** The code of an environment, as the runtime loads it. */
export interface Loading {
  directory: string;
  handler: string;
  timeoutSeconds: number;
  /** What the environment finds in `process.env`, if not the variables of the process. */
  variables?: Record<string, string>;
}

/** One event for an environment. */
export interface Work {
  requestId: string;
  event: unknown;
}

/** Sent to a runtime: what to load as an environment, by its number, or an event for it. */
export type Order = { environment: number } & ({ load: Loading } | { work: Work });

/** What a function logs by a call of console, in Lambda's JSON format. */
export interface LogLine {
  timestamp: string;
  level: string;
  requestId?: string;
  message: unknown;
}

/** What an environment says: that it is loaded, what it logs, and what became of each event. */
export type Outcome =
  | { kind: 'ready' }
  | { kind: 'log'; line: LogLine }
  | { kind: 'result'; payload: string | undefined }
  | { kind: 'error'; errorType: string; errorMessage: string };

export type Invocation = Exclude<Outcome, { kind: 'ready' | 'log' }>;

/** Sent by a runtime. */
export type Said = { environment: number } & Outcome;

interface Options {
  variables: Record<string, string>;
  /** Where code lies: beside it, the runtime and what it compiles are kept. */
  directory: string;
  /** Where console writes: the runner's own output, an open file, or `send` for outcomes of the kind `log`. */
  output: 'inherit' | number | 'send';
}

/** A process with the Lambda runtime in it, of one environment or of several. */
export class RuntimeProcess {
  /** How the process ended, once it has. */
  readonly died: Promise<Invocation>;
  readonly #child: ChildProcess;
  readonly #listeners: ((outcome: Outcome) => void)[] = [];

  constructor(processes: Processes, { variables, directory, output }: Options) {
    const stream = output === 'send' ? 'inherit' : output;
    this.#child = processes.adopt(
      spawn(process.execPath, [runtimeIn(directory), output === 'send' ? 'send' : 'write'], {
        env: { ...variables, NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
        stdio: ['ignore', stream, stream, 'ipc'],
        serialization: 'json',
      }),
    );
    this.#child.on('message', ({ environment, ...outcome }: Said) =>
      this.#listeners[environment]?.(outcome as Outcome),
    );
    this.died = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(ended(error.message)));
      this.#child.once('exit', (code, signal) => resolve(ended(signal ?? `code ${code}`)));
    });
  }

  /** Whether the process takes events. One that is being killed is there for a moment yet. */
  get alive(): boolean {
    const { exitCode, signalCode, killed } = this.#child;
    return exitCode === null && signalCode === null && !killed;
  }

  /** Loads an environment. Gives its number, and has `heard` take what it says. */
  load(load: Loading, heard: (outcome: Outcome) => void): number {
    const environment = this.#listeners.push(heard) - 1;
    this.#send({ environment, load });
    return environment;
  }

  handle(environment: number, work: Work): void {
    this.#send({ environment, work });
  }

  /** Ends the process in the middle of its work. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.died;
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }

  /** A process that died a moment ago can't be sent anything; then its end is the answer. */
  #send(order: Order): void {
    this.#child.send(order, () => {});
  }
}

const runtimes = new Set<string>();

/** The runtime as one file of JavaScript beside the code: as TypeScript, each process would take twice as long to start. */
const runtimeIn = (directory: string): string => {
  const outfile = join(directory, 'runtime.js');
  if (!runtimes.has(outfile)) {
    const entryPoints = [join(import.meta.dirname, 'runtime.ts')];
    buildSync({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs' });
    runtimes.add(outfile);
  }
  return outfile;
};

const ended = (how: string): Invocation => ({
  kind: 'error',
  errorType: 'Runtime.ExitError',
  errorMessage: `ended with ${how}`,
});
