import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
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
  readonly #child: ChildProcess;
  readonly #timeout: number;
  readonly #ready: Promise<Outcome>;
  readonly #died: Promise<Invocation>;

  constructor(
    processes: Processes,
    fn: LocalFunction,
    variables: Record<string, string>,
    logs: LogTarget,
  ) {
    const file = join(import.meta.dirname, 'runtime.ts');
    this.#timeout = fn.timeoutSeconds * 1000;
    const taken = typeof logs === 'function';
    const output = taken ? 'inherit' : logs;
    const args = [fn.code, fn.handler, String(fn.timeoutSeconds), taken ? 'send' : 'write'];
    this.#child = processes.adopt(
      spawn(process.execPath, [file, ...args], {
        env: variables,
        stdio: ['ignore', output, output, 'ipc'],
        serialization: 'json',
      }),
    );
    this.#child.on('message', (said: Outcome) => {
      if (said.kind !== 'log') this.#child.emit('outcome', said);
      else if (taken) logs(fn.name, said.line);
    });
    this.#ready = once(this.#child, 'outcome').then(([said]) => said);
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
    if (started.kind === 'error') return started;
    const message = once(this.#child, 'outcome').then(([outcome]) => outcome as Invocation);
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

  /** Ends it in the middle of what it does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#died;
  }

  stop(): Promise<void> {
    return stop(this.#child);
  }
}
