import { inspect } from 'node:util';
import type { BusEvent, LogLine, ResponseSummary } from '@leads-and-stars/runner';
import type { Change } from '../../lib/changes/change.ts';
import { printable } from '../cli/terminal-text.ts';

/** A log line of a function about a request, an event or an invocation, as far as it is told here. */
interface MessageLine {
  operation?: string;
  status?: number;
  request_id?: string;
  event_id?: string;
  /** The id of a queue's message that a function was invoked with. */
  message_id?: string;
  records?: number;
  duration_ms?: number;
  capacity_units?: number;
  code?: string;
  /** The outcome of an event that failed, or that is none of ours. */
  outcome?: string;
  why?: string;
  cause?: { name: string; message: string; stack?: string };
  /** The type of what a function threw. */
  errorType?: string;
  errorMessage?: string;
  stackTrace?: string[];
  /** The message that a queue gave up. */
  dead_letter?: string;
  deliveries?: number;
}

/** How many requests under way are remembered. If there are more, the oldest is forgotten. */
const mostUnderWay = 1000;

/**
 * One readable line for each request and each event, in or out, with what failed in plain words. Ids, names of
 * parameters and numbers only: nothing that a client wrote, and no order to the terminal.
 */
export class RequestLog {
  readonly #print: (text: string) => void;
  readonly #underWay = new Map<string, MessageLine>();
  /** The invocation that failed last, by its function's own line: the runtime logs the error once more. */
  #failed: { requestId: string | undefined; explained: boolean } | undefined;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** Takes a line of a function. That of a request is kept until it is answered. */
  readonly logged = (functionName: string, { requestId, message }: LogLine): void => {
    const name = functionName.slice(functionName.indexOf('-') + 1);
    const line = (typeof message === 'object' && message ? message : {}) as MessageLine;
    if (line.status !== undefined && line.request_id) this.#remember(line.request_id, line);
    else if (line.errorType) this.#threw(name, requestId, line);
    else if (line.dead_letter) {
      this.#tell([
        name,
        `gave up after ${line.deliveries} deliveries: message ${line.dead_letter}`,
      ]);
    } else if (line.operation) this.#worked(line);
    else {
      this.#print(indented(`${name}: ${typeof message === 'string' ? message : inspect(message)}`));
    }
  };

  /** Tells of a request that was answered. */
  readonly addResponse = (answer: ResponseSummary): void => {
    const { requestId, method, status, milliseconds, refusal } = answer;
    const line = this.#underWay.get(requestId);
    this.#underWay.delete(requestId);
    const code = refusal?.code ?? line?.code;
    this.#tell(
      [
        ...[method, presentable(answer), status, code],
        ...[`${Math.round(milliseconds)} ms`, units(line), requestId],
      ],
      (status >= 500 ? causeOf(line) : undefined) ?? refusal?.why,
    );
  };

  /** Tells of an event that the service sent, and not of what changed: that can be a contact. */
  readonly sent = ({ detail, 'detail-type': type }: BusEvent): void => {
    const event = detail as Change;
    const whose = /^(?:wallet|stars)\./.test(type) ? 'wallet' : 'organization';
    const of = 'lead_id' in event ? `lead ${event.lead_id}` : `${whose} ${event.organization_id}`;
    this.#tell(['event', type, event.event_id, 'of', of, `version ${event.version}`]);
  };

  #remember(requestId: string, line: MessageLine): void {
    this.#underWay.set(requestId, line);
    if (this.#underWay.size <= mostUnderWay) return;
    const [oldest = ''] = this.#underWay.keys();
    this.#underWay.delete(oldest);
  }

  /** Tells of an event or an invocation. Records of the stream that went well are told by the events that they become. */
  #worked(line: MessageLine): void {
    if (line.records !== undefined && line.code === undefined) return;
    const { operation, event_id, code, outcome, duration_ms, why, request_id } = line;
    const time = duration_ms === undefined ? undefined : `${duration_ms} ms`;
    const reason = why && `(${why})`;
    this.#tell(
      [operation, event_id, code ?? outcome ?? 'done', time, units(line), reason, request_id],
      causeOf(line),
    );
    const { message_id, cause } = line;
    if (code && !message_id) {
      this.#failed = { requestId: request_id, explained: cause !== undefined };
    }
  }

  /**
   * An error that a function meant to throw needs no stack, and an error that a line of the log explained needs no second
   * word.
   */
  #threw(name: string, requestId: string | undefined, line: MessageLine): void {
    const { errorType, errorMessage, stackTrace = [] } = line;
    const known = this.#failed?.requestId === requestId ? this.#failed : undefined;
    if (known?.explained) return;
    const stack = stackTrace.join('\n') || `${errorType}: ${errorMessage}`;
    this.#tell([name, 'failed'], known ? errorMessage : stack);
  }

  /** Prints one line, with what explains it indented below. */
  #tell(parts: readonly (string | number | undefined)[], details?: string): void {
    const time = new Date().toTimeString().slice(0, 8);
    const line = [time, ...parts.filter((part) => part !== undefined)].join(' ');
    const oneLine = line.replaceAll('\n', '\\u000a');
    this.#print(indented(details ? `${oneLine}\n${details}` : oneLine));
  }
}

/** A text for the terminal: what is below its first line looks like no line of its own. */
const indented = (text: string): string => printable(text).replaceAll('\n', '\n  ');

const units = (line: MessageLine | undefined): string | undefined =>
  line?.capacity_units === undefined ? undefined : `${line.capacity_units} units`;

const causeOf = (line: MessageLine | undefined): string | undefined =>
  line?.cause && (line.cause.stack ?? `${line.cause.name}: ${line.cause.message}`);

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The route, with the ids that were sent: all else in an address could be text of the client's. */
const presentable = ({ stage, path = '/…', parameters, hasQuery }: ResponseSummary): string => {
  const withIds = path.replace(/\{(\w+)\}/g, (name, key) => {
    const sent = parameters[key] ?? '';
    return uuid.test(sent) ? sent : name;
  });
  return `/${stage}${withIds}${hasQuery ? '?…' : ''}`;
};
