import type { ErrorDetail } from '../errors/errors.ts';
import type { WorkerNumbers } from '../operations/kinds/background.ts';

/**
 * One line of the log, for a request, an event or an invocation. It has ids and numbers only: nothing that a client
 * wrote, and nothing of a lead.
 */
export interface LogLine extends WorkerNumbers {
  operation: string;
  /** The tool that an agent called. */
  tool?: string | undefined;
  request_id: string;
  organization_id?: string | undefined;
  user_id?: string | undefined;
  /** The id of a queue's message. */
  message_id?: string;
  /** The id of the event in a queue's message. */
  event_id?: string | undefined;
  /** Records of a batch of the table's stream. */
  records?: number;
  /** What happens to records that failed, or to an event of a partner that is no message. */
  outcome?: 'handed_over' | 'retried' | 'set_aside' | 'ignored' | 'waiting' | 'let_go' | 'kept';
  /** Events that the bus took. */
  events?: number;
  /** Events that the bus will never take. */
  undelivered?: number;
  status?: number;
  duration_ms: number;
  /** Capacity units that DynamoDB counted for it; of writes that it refused, an estimate. */
  capacity_units: number;
  /** Requests that the organization's limit should know of, but which could not be counted. */
  uncounted_requests?: number | undefined;
  /** The error code, where it failed. */
  code?: string | undefined;
  /** Why an event can't be applied, with the names of its fields, what it waits for, or why the bus did not accept one yet. */
  why?: string;
}

/**
 * What is wrong, field by field. A name that no field could have is its sender's own text, which may be of a person, or
 * an order to a terminal.
 */
export const describeDetails = (details: readonly ErrorDetail[]): string =>
  details
    .map(({ path, message }) => `${/^[\w.]*$/.test(path) ? path : 'a field'} ${message}`.trim())
    .join('; ');

/** Writes a line. With `failure` it is an error, with its cause if it has one. */
export const writeLine = (line: LogLine, failure?: { cause?: unknown }): void => {
  if (failure === undefined) console.info(line);
  else console.error({ ...line, cause: describeCause(failure.cause) });
};

const describeCause = (cause: unknown) =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, stack: cause.stack }
    : undefined;
