/**
 * One line of the log: of a request, an event or an invocation. Ids and numbers only: nothing that a
 * client wrote, and nothing of a lead.
 */
export interface Line {
  operation: string;
  request_id: string;
  organization_id?: string | undefined;
  user_id?: string | undefined;
  /** Of a message of a queue, … */
  message_id?: string;
  /** … and the event that it brings. */
  event_id?: string | undefined;
  /** Of a batch of the table's stream: its records, … */
  records?: number;
  /** … what becomes of them where they failed, … */
  becomes?: 'given_again' | 'set_aside';
  /** … and the events that they became. */
  events?: number;
  status?: number;
  duration_ms: number;
  /** What DynamoDB counted for it. */
  capacity_units: number;
  /** The error's, where it failed. */
  code?: string | undefined;
  /** Why an event can't be applied, by the names of its fields. */
  why?: string;
}

/** Writes a line, as an error where `failure` is given: with its cause, if it has one. */
export const writeLine = (line: Line, failure?: { cause?: unknown }): void => {
  if (failure === undefined) console.info(line);
  else console.error({ ...line, cause: describeCause(failure.cause) });
};

const describeCause = (cause: unknown) =>
  cause instanceof Error
    ? { name: cause.name, message: cause.message, stack: cause.stack }
    : undefined;
