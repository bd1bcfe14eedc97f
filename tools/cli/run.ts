import { constants } from 'node:os';
import { CliError } from '@leads-and-stars/runner';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Runs what serves, until a signal. That is its usual end, also while it starts. An error that the user can fix is one
 * message without a stack. Nothing is left running in any case.
 */
export const runUntilStopped = (start: () => Promise<Closable | undefined>): Promise<void> =>
  run(start, () => 0);

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
): Promise<void> => {
  let running: Closable | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number) => {
    stopping ??= (async () => {
      await running?.close().catch(console.error);
      process.exit(exitCode);
    })();
    return stopping;
  };
  const fail = (error: unknown) => {
    console.error(error instanceof CliError ? error.message : error);
    return stop(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop(codeAt(signal)));
  }
  try {
    running = await start();
    if (stopping) await running?.close();
    else if (!running) await stop(0);
  } catch (error) {
    await fail(error);
  }
};
