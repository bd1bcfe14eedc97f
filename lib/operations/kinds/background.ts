import type * as z from 'zod/mini';
import type { Wakes } from '../../queues/wakes.ts';
import type { ActionOf, Grant } from '../../table/grants.ts';
import type { Key } from '../../table/keys.ts';
import type { TimeBounds } from '../../table/retry.ts';
import type { Item, Reader, Table } from '../../table/table.ts';
import type { Schema } from '../request.ts';

// Functions that no request waits for. Of the stream's two kinds there is room for one function each: DynamoDB gives a
// shard to two readers at most.

interface Background<G extends Grant> {
  id: string;
  summary: string;
  table: readonly G[];
}

/** A message, and the id that the bus gave its event. */
export interface Queued<T> {
  content: T;
  busEventId: string;
  /** The fingerprint of what a partner said, the same in repeats, where the content says more. */
  fingerprint?: string | undefined;
}

/**
 * Why an event of a partner is no message: it is none of ours; something has to be there first, which may still come; or all
 * that it says was kept for other events.
 */
export interface Untold {
  outcome: 'ignored' | 'waiting' | 'let_go' | 'kept';
  why?: string;
}

/** What an event of a partner comes to. */
export type Translation<Message extends Schema> =
  | { message: z.core.output<Message>; fingerprint?: string }
  | Untold;

/** Events that a partner of AWS puts on a bus of its own, and that come by the same queue. They are in its own words. */
export interface Partner<Message extends Schema = Schema> {
  /** How the sources of its events begin. */
  sourcePrefix: string;
  types: readonly string[];
  /** How the types begin of events that nobody here can read: they are dead letters at once. */
  unreadablePrefix: string;
  /** What to do then. The alarm says it. */
  adviceOnUnreadable: string;
  /** What an event comes to. Throws to have it delivered again, and in the end set aside. */
  translate(event: unknown, table: Table<'GetItem' | 'PutItem'>): Promise<Translation<Message>>;
}

/** A function that is given the events of others, from the service's bus by way of a queue. */
export interface QueueConsumer<G extends Grant = Grant, Message extends Schema = Schema>
  extends Background<G> {
  kind: 'queue';
  /** The source of its events. All that is on the bus is put into its queue: what is of another source is refused. */
  source: string;
  /** An event: its detail, with its detail-type as `type`. */
  message: Message;
  partner?: Partner<Message>;
  /** Messages of one organization are handled together. */
  organizationOf(message: z.core.output<Message>): string;
  /**
   * Handles messages of one organization, in their order. Returns an error for each that is to be delivered again, and in
   * the end set aside; undefined for a message that is done with. If it throws, that is the error of all of them.
   */
  handle(
    messages: readonly Queued<z.core.output<Message>>[],
    table: Table<ActionOf<G>> & Reader<ActionOf<G>>,
  ): Promise<readonly unknown[]>;
}

/** Numbers that a worker tells of its work. */
export interface WorkerNumbers {
  /** How old the oldest entry was that was not counted as usage when the worker came, in milliseconds. */
  usage_behind_ms?: number;
}

/** A function that works on messages which the service's own functions send, by a queue of its own. */
export interface Worker<G extends Grant = Grant, Message extends Schema = Schema>
  extends Background<G> {
  kind: 'worker';
  message: Message;
  /** Seconds that a message may take. */
  timeoutSeconds: number;
  /** Messages that are in work at the same time at most, each by an environment of its own. */
  concurrency: number;
  /**
   * Returns when the message is done with; throws to have it delivered again, and in the end set aside.
   * `isRedelivered`: it was delivered before. `tell` adds to the line of the log, also where it fails.
   */
  handle(
    message: z.core.output<Message>,
    table: Table<ActionOf<G>>,
    around: { wakes: Wakes; isRedelivered: boolean; tell: (told: WorkerNumbers) => void },
  ): Promise<void>;
}

/**
 * A function that is given what is added to some partitions, from the table's stream: at least once, and in order for
 * each partition.
 */
export interface StreamConsumer<G extends Grant = Grant> extends Background<G> {
  kind: 'stream';
  takes: 'additions';
  /** How the keys of those partitions begin. */
  partitions: readonly string[];
  organizationOf(key: Key): string;
  /**
   * Returns when an organization's items are done with; throws to be given them again. One organization
   * that fails does not keep the others of a batch waiting.
   */
  handle(
    organizationId: string,
    keys: readonly Key[],
    table: Table<ActionOf<G>>,
    wakes: Wakes,
  ): Promise<void>;
}

/** What became of feed items. */
export interface FeedItemsOutcome {
  accepted: number;
  setAside: number;
  /** Items to be given again. */
  left: readonly Item[];
  /** The last reason for which an item had to wait. */
  why: string | undefined;
}

/**
 * A function that gets feed items, which are items of the outbox with their number, from the table's stream: at least once,
 * and in order for each partition. It has no part in the table.
 */
export interface FeedConsumer extends Background<never> {
  kind: 'stream';
  takes: 'feed items';
  handle(items: readonly Item[], limit: Required<TimeBounds>): Promise<FeedItemsOutcome>;
}

/** A function that is started by the clock. It is told where the issuer's keys are, or may send wakes. */
export type ScheduledTask<G extends Grant = Grant> = Background<G> & {
  kind: 'scheduled';
  everyMinutes: number;
} & (
    | { needs: 'issuer'; handle(table: Table<ActionOf<G>>): Promise<void> }
    | { needs: 'wakes'; handle(table: Table<ActionOf<G>>, wakes: Wakes): Promise<void> }
  );

// biome-ignore-start lint/suspicious/noExplicitAny: what is needed of a function does not depend on its types.
export type AnyQueueConsumer = QueueConsumer<any, any>;
export type AnyWorker = Worker<any, any>;
export type AnyStreamConsumer = StreamConsumer<any>;
export type AnyScheduledTask = ScheduledTask<any>;
// biome-ignore-end lint/suspicious/noExplicitAny: as above.

/** Types a function by what it may do with the table, and by its message. */
export function defineBackground<const G extends Grant, Message extends Schema>(
  consumer: QueueConsumer<G, Message>,
): QueueConsumer<G, Message>;
export function defineBackground<const G extends Grant, Message extends Schema>(
  worker: Worker<G, Message>,
): Worker<G, Message>;
export function defineBackground<const G extends Grant>(
  consumer: StreamConsumer<G>,
): StreamConsumer<G>;
export function defineBackground<const G extends Grant>(task: ScheduledTask<G>): ScheduledTask<G>;
export function defineBackground(consumer: FeedConsumer): FeedConsumer;
export function defineBackground<D>(definition: D): D {
  return definition;
}
