import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { type Processes, stop } from '../machine/processes.ts';
import type { LocalFunction } from '../template/functions.ts';

/** Sent to an environment: one event. */
export interface Work {
  requestId: string;
  event: unknown;
}

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

/** Where the lines go that functions log: the runner's own output, an open file, or who takes each. */
export type LogTarget = 'inherit' | number | ((functionName: string, line: LogLine) => void);

/** One execution environment of a function: a process that handles one event after the other. */
export class Environment {
  readonly sessionToken: string | undefined;
  readonly #child: ChildProcess;
  readonly #timeoutMs: number;
  /** Undefined once it is loaded; else why it never will be. */
  readonly #loaded: Promise<Invocation | undefined>;
  readonly #died: Promise<Invocation>;
  /** Takes what it says next: that it is loaded, or what became of its event. */
  #heard: (said: Outcome) => void = () => {};

  constructor(
    processes: Processes,
    fn: LocalFunction,
    variables: Record<string, string>,
    logs: LogTarget,
  ) {
    const file = runtimeIn(dirname(fn.code));
    this.sessionToken = variables.AWS_SESSION_TOKEN;
    this.#timeoutMs = fn.timeoutSeconds * 1000;
    const taken = typeof logs === 'function';
    const output = taken ? 'inherit' : logs;
    const args = [fn.code, fn.handler, String(fn.timeoutSeconds), taken ? 'send' : 'write'];
    this.#child = processes.adopt(
      spawn(process.execPath, [file, ...args], {
        env: {
          ...variables,
          NODE_COMPILE_CACHE: join(dirname(fn.code), 'compile-cache'),
        },
        stdio: ['ignore', output, output, 'ipc'],
        serialization: 'json',
      }),
    );
    this.#child.on('message', (said: Outcome) => {
      if (said.kind !== 'log') this.#heard(said);
      else if (taken) logs(fn.name, said.line);
    });
    this.#died = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(ended(error.message)));
      this.#child.once('exit', (code, signal) => resolve(ended(signal ?? `code ${code}`)));
    });
    this.#died.then((how) => this.#heard(how));
    this.#loaded = new Promise((resolve) => {
      this.#heard = (said) => resolve(said.kind === 'error' ? said : undefined);
    });
  }

  /** Whether it takes events. One that is being killed is there for a moment yet. */
  get alive(): boolean {
    const { exitCode, signalCode, killed } = this.#child;
    return exitCode === null && signalCode === null && !killed;
  }

  /** Handles one event. A function that dies or takes too long takes its environment with it. */
  async handle(work: Work): Promise<Invocation> {
    const failure = await this.#loaded;
    if (failure) return failure;
    if (!this.alive) return this.#died;
    return new Promise((resolve) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        this.#child.kill('SIGKILL');
      }, this.#timeoutMs);
      this.#heard = (said) => {
        clearTimeout(timer);
        resolve(late ? this.#timedOut() : (said as Invocation));
      };
      // One that died a moment ago can't be sent anything; then its end is the answer.
      this.#child.send(work, () => {});
    });
  }

  #timedOut(): Invocation {
    const errorMessage = `Task timed out after ${this.#timeoutMs / 1000} seconds`;
    return { kind: 'error', errorType: 'Sandbox.Timedout', errorMessage };
  }

  /** Ends it in the middle of what it does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#died;
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}

const runtimes = new Set<string>();

/** The runtime as one file of JavaScript beside the bundles: as TypeScript, each process would take twice as long to start. */
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
