import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LocalFunction } from './assembly.ts';
import { type Processes, stop } from './processes.ts';

/** Sent to an environment: one event. */
export interface Work {
  requestId: string;
  event: unknown;
}

/** What an environment says: that it is loaded, and what became of each event. */
export type Outcome =
  | { kind: 'ready' }
  | { kind: 'result'; payload: string | undefined }
  | { kind: 'error'; errorType: string; errorMessage: string };

export type Invocation = Exclude<Outcome, { kind: 'ready' }>;

/** Where the lines go that functions log: the runner's own output, or an open file. */
export type LogTarget = 'inherit' | number;

/** One execution environment of a function: a process that handles one event after the other. */
export class Environment {
  readonly #child: ChildProcess;
  readonly #timeout: number;
  readonly #ready: Promise<unknown>;
  readonly #died: Promise<Invocation>;

  constructor(
    processes: Processes,
    fn: LocalFunction,
    variables: Record<string, string>,
    logs: LogTarget,
  ) {
    const file = join(import.meta.dirname, 'runtime.ts');
    this.#timeout = fn.timeoutSeconds * 1000;
    this.#child = processes.adopt(
      spawn(process.execPath, [file, fn.code, fn.handler, String(fn.timeoutSeconds)], {
        env: variables,
        stdio: ['ignore', logs, logs, 'ipc'],
        serialization: 'json',
      }),
    );
    this.#ready = once(this.#child, 'message');
    this.#ready.catch(() => {});
    this.#died = once(this.#child, 'exit').then(([code, signal]) => ({
      kind: 'error',
      errorType: 'Runtime.ExitError',
      errorMessage: `ended with ${signal ?? `code ${code}`}`,
    }));
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Handles one event. A function that dies or takes too long takes its environment with it. */
  async handle(work: Work): Promise<Invocation> {
    const started = await Promise.race([this.#ready, this.#died]);
    if (isInvocation(started)) return started;
    const message = once(this.#child, 'message').then(([outcome]) => outcome as Invocation);
    message.catch(() => {});
    // One that died a moment ago can't be sent anything; then its end is the answer.
    this.#child.send(work, () => {});
    return this.#withTimeout(Promise.race([message, this.#died]));
  }

  async #withTimeout(outcome: Promise<Invocation>): Promise<Invocation> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#child.kill('SIGKILL');
    }, this.#timeout);
    try {
      const ended = await outcome;
      if (!late) return ended;
      const errorMessage = `Task timed out after ${this.#timeout / 1000} seconds`;
      return { kind: 'error', errorType: 'Sandbox.Timedout', errorMessage };
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}

const isInvocation = (value: unknown): value is Invocation =>
  (value as Invocation)?.kind === 'error';
