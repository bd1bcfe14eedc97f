import { randomUUID } from 'node:crypto';
import { account, busArn, region } from '../account.ts';
import type { State } from '../state/state.ts';
import type { Assembly } from '../template/assembly.ts';
import { passes } from '../template/patterns.ts';
import type { MessageQueue } from './queue.ts';

/** An entry of PutEvents, as it came. */
interface Entry {
  EventBusName?: string;
  Source?: string;
  DetailType?: string;
  Detail?: string;
  Time?: number;
  Resources?: string[];
}

type Result = { EventId: string } | { ErrorCode: string; ErrorMessage: string };

/** An event, as a rule on the bus sees it. */
export interface BusEvent {
  source: string;
  'detail-type': string;
  detail: Record<string, unknown>;
}

/** Whether a caller may put events on a bus, by the bus's ARN. */
export type MayPut = (busArn: string) => boolean;

/** Quotas of PutEvents: its entries, and the bytes of all of them, which have to be fewer. */
const mostEntries = 10;
const bytesInRequest = 1024 * 1024;

/** The bytes of an entry, as EventBridge counts them. */
const bytesOf = ({ Source = '', DetailType = '', Detail = '', Time, Resources = [] }: Entry) =>
  Buffer.byteLength([Source, DetailType, Detail, ...Resources].join('')) + (Time ? 14 : 0);

/** EventBridge's PutEvents over a stack's buses: events that match a rule are put into its queue. */
export class EventBus {
  readonly #assembly: Assembly;
  readonly #queues: ReadonlyMap<string, MessageQueue>;
  readonly #state: State;

  constructor(assembly: Assembly, queues: ReadonlyMap<string, MessageQueue>, state: State) {
    this.#assembly = assembly;
    this.#queues = queues;
    this.#state = state;
  }

  /**
   * The results of entries; undefined where the request as a whole is not valid. `onEvent` takes each event before the
   * bus does; if it answers a code, the bus refuses the event so.
   */
  putEvents(
    request: { Entries?: Entry[] },
    mayPut: MayPut = () => true,
    onEvent: (event: BusEvent) => unknown = () => {},
  ) {
    const { Entries: entries } = request;
    const valid =
      Array.isArray(entries) &&
      entries.length >= 1 &&
      entries.length <= mostEntries &&
      entries.reduce((sum, entry) => sum + bytesOf(entry), 0) < bytesInRequest;
    if (!valid) return undefined;
    const Entries = this.#state.transaction(() =>
      entries.map((entry) => this.#put(entry, mayPut, onEvent)),
    );
    return { FailedEntryCount: Entries.filter((one) => 'ErrorCode' in one).length, Entries };
  }

  #put(entry: Entry, mayPut: MayPut, onEvent: (event: BusEvent) => unknown): Result {
    const { Source, DetailType, Detail } = entry;
    if (!Source || !DetailType || Detail === undefined) {
      return refused('InvalidArgument', 'Source, DetailType and Detail are required.');
    }
    const detail = jsonObject(Detail);
    if (!detail) return refused('MalformedDetail', 'Detail is malformed.');
    // An entry names the bus by its name or its ARN. A partner's bus has slashes in its name.
    const bus = (entry.EventBusName ?? 'default').replace(/^arn:[^/]*:event-bus\//, '');
    if (!this.#assembly.eventBuses.includes(bus)) {
      return refused('ResourceNotFoundException', `Event bus ${bus} does not exist.`);
    }
    if (!mayPut(busArn(bus))) {
      return refused('AccessDeniedException', `Not authorized to put events on ${bus}.`);
    }
    const code = onEvent({ source: Source, 'detail-type': DetailType, detail });
    if (typeof code === 'string') return refused(code, 'The runner was told to refuse it.');
    const EventId = randomUUID();
    const event = {
      version: '0',
      id: EventId,
      'detail-type': DetailType,
      source: Source,
      account,
      time: timeOf(entry.Time).toISOString().replace(/\.\d+/, ''),
      region,
      resources: entry.Resources ?? [],
      detail,
    };
    for (const delivery of this.#assembly.eventDeliveries) {
      const matches = delivery.bus === bus && passes([delivery.pattern], event);
      if (matches) this.#queues.get(delivery.queue.logicalId)?.send(JSON.stringify(event));
    }
    return { EventId };
  }
}

const refused = (ErrorCode: string, ErrorMessage: string): Result => ({ ErrorCode, ErrorMessage });

/** In JSON 1.1, a time is seconds since the epoch. */
const timeOf = (seconds: number | undefined): Date =>
  seconds === undefined ? new Date() : new Date(seconds * 1000);

const jsonObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
