import { CliError } from '@leads-and-stars/runner';

interface Closable {
  close(): Promise<unknown>;
}

/**
 * Runs a command: until a signal, if it returns something to close, else to its end. An error that the user can fix
 * is one message without a stack. Nothing is left running in any case.
 */
export const runUntilStopped = async (
  start: () => Promise<Closable | undefined>,
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  try {
    running = await start();
    if (stopping) await running?.close();
    else if (!running) await stop(0);
  } catch (error) {
    await fail(error);
  }
};
