/** What an error was, for the log. */
export const describeCause = (cause: unknown) =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, stack: cause.stack }
    : undefined;
