import { format } from 'node:util';
import type { LogLine } from './runtime-process.ts';

// Lambda's JSON log format, as aws-lambda-ric 4.0.2 makes it: AWS's own client of the runtime's API for Node.js.

/** The levels of console's methods. */
export const levels = {
  trace: 'TRACE',
  debug: 'DEBUG',
  log: 'INFO',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  fatal: 'FATAL',
} as const;

/** The line of one call of console. A single argument is logged as it is, several as the text that they make. */
export const jsonLine = (
  level: string,
  requestId: string,
  [message, ...others]: unknown[],
): LogLine => {
  const line = { timestamp: new Date().toISOString(), level, requestId };
  if (others.length > 0) {
    const error = others.find((one) => one instanceof Error);
    return { ...line, message: format(message, ...others), ...(error && described(error)) };
  }
  try {
    return JSON.parse(JSON.stringify({ ...line, message }, withErrors));
  } catch {
    return { ...line, message: format(message) };
  }
};

const described = (error: Error) => ({
  errorType: error.constructor?.name ?? 'UnknownError',
  errorMessage: error.message,
  stackTrace: error.stack?.split('\n') ?? [],
});

/** An error and whatever it has been given, which JSON would leave out. */
const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...described(value), ...value } : value;
