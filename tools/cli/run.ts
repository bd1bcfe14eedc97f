import { constants } from 'node:os';
import { CliError } from '@leads-and-stars/runner';
import { printable } from './terminal-text.ts';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Runs what serves, until a signal. That is its usual end, also while it starts. An error that the user can fix is told
 * without a stack. Nothing is left running in any case: closing has a deadline, and it ends when its output is
 * gone, as with its terminal, or the shell in which npm runs it.
 */
export const runUntilStopped = (
  start: () => Promise<Closable | undefined>,
  closesWithinMs?: number,
): Promise<void> => run(start, () => 0, closesWithinMs);

/** Runs a command to its end, likewise. A signal before that is no success: `npm run openapi && git commit` ends there. */
export const runToEnd = (work: () => Promise<void>): Promise<void> =>
  run(
    async () => {
      await work();
      return undefined;
    },
    (signal) => 128 + constants.signals[signal],
  );

const run = async (
  start: () => Promise<Closable | undefined>,
  codeAt: (signal: NodeJS.Signals) => number,
  // Each process that is asked to end has two seconds, and a few are asked one after the other.
  closesWithinMs = 10_000,
): Promise<void> => {
  let running: Closable | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number) => {
    stopping ??= (async () => {
      setTimeout(() => {
        say(new CliError(`It did not close within ${closesWithinMs / 1000} s.`));
        process.exit(1);
      }, closesWithinMs);
      await running?.close().catch(say);
      process.exit(exitCode);
    })();
    return stopping;
  };
  // A write to an output that is gone is an error, and to tell of it would be the next.
  let hasOutput = true;
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', () => {
      hasOutput = false;
      void stop(1);
    });
  }
  const say = (error: unknown) => {
    if (hasOutput) console.error(error instanceof CliError ? printable(error.message) : error);
  };
  const fail = (error: unknown) => {
    say(error);
    return stop(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop(codeAt(signal)));
  }
  whenShellOfNpmEnds(() => void stop(codeAt('SIGTERM')));
  try {
    running = await start();
    if (!running) await stop(0);
  } catch (error) {
    await fail(error);
  }
};

/** npm passes a signal on to the shell in which it runs a script, and that shell does not pass it on. */
const whenShellOfNpmEnds = (stop: () => void): void => {
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
};
