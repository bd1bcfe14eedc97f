import { randomUUID } from 'node:crypto';
import { account, region } from '../account.ts';
import type { Assembly } from '../template/assembly.ts';
import type { LocalQueue } from './queue.ts';

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

/** Quotas of PutEvents: its entries, and the bytes of all of them. */
const mostEntries = 10;
const mostBytes = 1024 * 1024;

/** EventBridge's PutEvents over a stack's buses: events that match a rule are put into its queue. */
export class EventBus {
  readonly #assembly: Assembly;
  readonly #queues: ReadonlyMap<string, LocalQueue>;

  constructor(assembly: Assembly, queues: ReadonlyMap<string, LocalQueue>) {
    this.#assembly = assembly;
    this.#queues = queues;
  }

  /** Undefined where the request as a whole is not valid. */
  putEvents(request: { Entries?: Entry[] }) {
    const { Entries: entries } = request;
    const valid =
      Array.isArray(entries) &&
      entries.length >= 1 &&
      entries.length <= mostEntries &&
      Buffer.byteLength(JSON.stringify(entries)) <= mostBytes;
    if (!valid) return undefined;
    const Entries = entries.map((entry) => this.#put(entry));
    return { FailedEntryCount: Entries.filter((one) => 'ErrorCode' in one).length, Entries };
  }

  #put(entry: Entry): Result {
    const { Source, DetailType, Detail } = entry;
    if (!Source || !DetailType || Detail === undefined) {
      return refused('InvalidArgument', 'Source, DetailType and Detail are required.');
    }
    const detail = jsonObject(Detail);
    if (!detail) return refused('MalformedDetail', 'Detail is malformed.');
    // By its name or its ARN.
    const bus = (entry.EventBusName ?? 'default').split('/').at(-1) ?? '';
    if (!this.#assembly.eventBuses.includes(bus)) {
      return refused('ResourceNotFoundException', `Event bus ${bus} does not exist.`);
    }
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
      const matches =
        delivery.bus === bus &&
        delivery.sources.includes(Source) &&
        delivery.detailTypes.includes(DetailType);
      if (matches) this.#queues.get(delivery.queue.logicalId)?.send(JSON.stringify(event));
    }
    return { EventId };
  }
}

const refused = (ErrorCode: string, ErrorMessage: string): Result => ({ ErrorCode, ErrorMessage });

/** In JSON 1.1, a time is seconds since the epoch. */
const timeOf = (seconds: number | undefined): Date =>
  seconds === undefined ? new Date() : new Date(seconds * 1000);

const jsonObject = (text: string): object | undefined => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
