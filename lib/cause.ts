/** What an error was, for the log. Of an error that is not ours, so it says nothing of a client's data. */
export const describeCause = (cause: unknown) =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, stack: cause.stack }
    : undefined;
