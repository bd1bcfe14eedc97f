import { CliError } from '@leads-and-stars/runner';

/** What a log line says of the error behind it. */
interface LoggedError {
  operationId: string;
  stack: string;
}

/** Reads a line of a function's log, or a stack alone, of the operation that is named beside it. */
export const loggedError = (text: string, operationId?: string): LoggedError => {
  const line = jsonIn(text);
  const { operation = operationId, cause } = line?.message ?? line ?? {};
  const stack = line === undefined ? text.trim() : cause?.stack;
  if (typeof stack !== 'string') throw new CliError('The line has no cause.stack.');
  if (typeof operation !== 'string') {
    throw new CliError('A stack alone does not say whose it is: name its operation.');
  }
  return { operationId: operation, stack };
};

// biome-ignore lint/suspicious/noExplicitAny: of whatever form.
const jsonIn = (text: string): any => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
