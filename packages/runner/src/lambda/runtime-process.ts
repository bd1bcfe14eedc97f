import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import type { Clock } from '../clock/clock.ts';
import { shiftMs } from '../clock/shifted-date.ts';
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

/** Sent to a runtime: what to load as an environment, by its number, or an event for it; how far the clock is ahead now; or the question whether it hears. */
export type Order =
  | ({ environment: number } & ({ load: Loading } | { work: Work }))
  | { shiftMs: number }
  | 'listening?';

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

/** Sent by a runtime: of an environment, or of its process. */
export type Said = ({ environment: number } & Outcome) | 'listening' | 'large';

interface ProcessOptions {
  variables: Record<string, string>;
  /** Where code lies: beside it, the runtime and what it compiles are kept. */
  directory: string;
  /** Where console writes: the runner's own output, an open file, or `send` for outcomes of the kind `log`. */
  output: 'inherit' | number | 'send';
  mostMegabytes?: number | undefined;
  /** Whose time `Date` tells, if not the machine's. */
  clock?: Clock | undefined;
}

/** A process that nobody has used for so long ends. */
const idleMs = 10 * 60 * 1000;
/** Longer than code may keep a processor of a slow machine. */
const longestBlockMs = 5000;

/** A process with the Lambda runtime in it, of one environment or of several. */
export class RuntimeProcess {
  /** How the process ended, once it has. */
  readonly died: Promise<Invocation>;
  readonly #child: ChildProcess;
  /** How many environments are taken. */
  #users = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #isRetired = false;
  /** Whoever asked whether it listens, in their order. */
  readonly #asked: ((listens: true) => void)[] = [];
  readonly #listeners: ((outcome: Outcome) => void)[] = [];

  constructor(processes: Processes, options: ProcessOptions) {
    const { variables, directory, output, mostMegabytes, clock } = options;
    const stream = output === 'send' ? 'inherit' : output;
    // With little room for what is new, much less that is not used any more is kept.
    const node = mostMegabytes === undefined ? [] : ['--max-semi-space-size=2'];
    const args = [
      ...[output === 'send' ? 'send' : 'write', String(mostMegabytes ?? Infinity)],
      String(shiftMs()),
    ];
    this.#child = processes.adopt(
      spawn(process.execPath, [...node, runtimeIn(directory), ...args], {
        env: { ...variables, NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
        stdio: ['ignore', stream, stream, 'ipc'],
        serialization: 'json',
      }),
    );
    this.#child.on('message', (said: Said) => {
      if (said === 'listening') return this.#asked.shift()?.(true);
      if (said === 'large') return this.retire();
      const { environment, ...outcome } = said;
      this.#listeners[environment]?.(outcome as Outcome);
    });
    this.died = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(ended(error.message)));
      this.#child.once('exit', (code, signal) => resolve(ended(signal ?? `code ${code}`)));
    });
    const forget = clock?.onShift(() => this.#send({ shiftMs: shiftMs() }));
    void this.died.then(forget);
  }

  /** Whether the process takes events. One that is being killed is there for a moment yet. */
  get alive(): boolean {
    const { exitCode, signalCode, killed } = this.#child;
    return exitCode === null && signalCode === null && !killed;
  }

  /** Whether the process ends once its environments are given back. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Keeps it until an environment is given back. */
  take(): void {
    this.#users++;
    clearTimeout(this.#idleTimer);
  }

  giveBack(): void {
    if (--this.#users > 0) return;
    if (this.#isRetired) void this.stop();
    else this.#idleTimer = setTimeout(() => this.retire(), idleMs).unref();
  }

  /** Ends it, when all environments are given back. */
  retire(): void {
    this.#isRetired = true;
    if (this.#users === 0) void this.stop();
  }

  /** Kills it if code keeps the processor, so that nothing else of it goes on. */
  async killIfBlocked(): Promise<void> {
    const listens = new Promise<true>((resolve) => this.#asked.push(resolve));
    this.#send('listening?');
    const isLate = wait(longestBlockMs, false, { ref: false });
    if (!(await Promise.race([listens, this.died, isLate]))) await this.kill();
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
  const outfile = join(directory, 'runtime.cjs');
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
