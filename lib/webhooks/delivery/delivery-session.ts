import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { type ChangeType, usualTypes } from '../../changes/change.ts';
import { readFeed } from '../../changes/feed.ts';
import { ofTime } from '../../facts/origin.ts';
import { commitTo } from '../../facts/transaction.ts';
import type { ActionOf, Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { PostResult } from '../endpoint/endpoint.ts';
import { changeMessage, testMessage, type WebhookMessage } from '../endpoint/message.ts';
import { validSecrets } from '../endpoint/secrets.ts';
import { signedHeaders } from '../endpoint/signature.ts';
import { idOf, type StoredWebhook } from '../stored-webhook.ts';
import { leaseWebhook, writeCheckpoint } from '../writes.ts';
import { type Delivery, putDelivery, toEvictionDelivery } from './delivery-log.ts';
import {
  type DeliveryOutcome,
  dropWaiting,
  dueWorkOf,
  moveCheckpoint,
  type Progress,
  settle,
  type WaitingChange,
} from './delivery-rules.ts';
import { webhookDueWrites } from './next-work.ts';
import { toProgress } from './progress-item.ts';
import { verdictOf } from './verdict.ts';

/** What delivering does with the table. */
export const deliveryGrants = [
  'GetItem',
  'Query',
  'Query by_sequence',
  'UpdateItem WEBHOOKS#',
  'PutItem WEBHOOK_FACT#',
  'PutItem DELIVERIES#',
  'PutItem DUE',
  'DeleteItem DUE',
] as const satisfies Grant[];
export type DeliveryTable = Table<ActionOf<(typeof deliveryGrants)[number]>>;

/** Milliseconds of a session after which no attempt starts. A change may have to be read again before it is posted. */
export const sessionMs = 25_000;
/** Posts of one webhook at once. */
export const postsAtOnce = 10;
/** For how long a worker has a webhook to itself, in milliseconds; renewed with every checkpoint. */
export const leaseMs = 12_000;
/** Milliseconds after which a checkpoint is made if an attempt has ended. */
const checkpointAfterMs = 1000;
/** Results after which a checkpoint is made. */
const checkpointResults = 50;
/** Milliseconds after which a checkpoint is made in any case, to keep the lease. */
const renewLeaseAfterMs = 4000;
/** Milliseconds after which a change is read again before it is posted: its lead may have been erased meanwhile. */
const freshMs = 1000;
/** Changes that are read at a time, and how few have to be left to post for more to be read. */
const [pageSize, fewLeft] = [100, 2 * postsAtOnce];

/** The surroundings of a session: tests give another clock and other endpoints. */
export interface SessionContext {
  table: DeliveryTable;
  /** Milliseconds since the epoch. */
  now: () => number;
  openEndpoint: (url: string) => {
    post: (body: string, headers: Record<string, string>) => Promise<PostResult>;
    close: () => void;
  };
}

// docs/decisions/consumers.md
/** One worker's time with one webhook, under a lease. */
export class DeliverySession {
  readonly #context: SessionContext;
  readonly #organizationId: string;
  readonly #item: StoredWebhook;
  readonly #token = randomUUID();
  readonly #endpoint: ReturnType<SessionContext['openEndpoint']>;
  readonly #startedAt: number;
  #progress: Progress;
  /** The webhook as this session wrote it last. */
  #written: StoredWebhook;
  /** The number up to which the feed was read, and the messages of it that are not settled yet. */
  #read: number;
  readonly #open = new Map<number, WebhookMessage>();
  #more = true;
  /** The messages that waited and are due, once they were read. */
  readonly #retries = new Map<number, WebhookMessage>();
  readonly #tests: WebhookMessage[];
  /** Posts that are under way, by their lanes. */
  readonly #pending = new Map<string, Promise<void>>();
  #deliveries: Delivery[] = [];
  /** Given up to make room for others. */
  #evictions: WaitingChange[] = [];
  #sentTests: string[] = [];
  #lastCheckpoint: number;

  constructor(context: SessionContext, organizationId: string, item: StoredWebhook) {
    this.#context = context;
    this.#organizationId = organizationId;
    this.#item = item;
    this.#endpoint = context.openEndpoint(item.url);
    this.#written = item;
    this.#startedAt = context.now();
    this.#lastCheckpoint = this.#startedAt;
    this.#progress = toProgress(item);
    this.#read = this.#progress.checkpoint;
    this.#tests = Object.entries(item.tests).map(([id, at]) =>
      testMessage(organizationId, idOf(item), id, at),
    );
  }

  /** Posts what there is, for as long as it may. Throws `ConflictError` where another has the lease, or takes it. */
  async work(): Promise<Progress> {
    const { table, now } = this.#context;
    try {
      await table.transact([leaseWebhook(this.#item, this.#token, now() + leaseMs)]);
      for (;;) {
        await this.#readMore();
        this.#startPosts();
        if (this.#pending.size === 0) break;
        await this.#waitForResult();
        if (this.#isCheckpointDue()) await this.#writeCheckpoint(now() + leaseMs);
      }
      await this.#writeCheckpoint(undefined);
      return this.#progress;
    } finally {
      this.#endpoint.close();
    }
  }

  /** Which posts may start now. */
  #dueWork() {
    const now = this.#context.now();
    if (now - this.#startedAt >= sessionMs) return { kind: 'nothing' as const };
    return dueWorkOf(this.#progress, now);
  }

  async #readMore(): Promise<void> {
    const work = this.#dueWork();
    if (work.kind === 'probe') await this.#readProbe(work.retry);
    if (work.kind !== 'all') return;
    await Promise.all(work.due.slice(0, fewLeft).map((sequence) => this.#readAgain(sequence)));
    await this.#readNew(fewLeft, pageSize);
  }

  async #readProbe(retry: number | undefined): Promise<void> {
    await this.#readNew(1, 1);
    if (this.#open.size === 0 && retry !== undefined) await this.#readAgain(retry);
  }

  get #types(): readonly ChangeType[] {
    return this.#item.types ?? usualTypes;
  }

  /** A webhook is told nothing about itself: it may be what is wrong. */
  #wants({ type, ofWebhook }: WebhookMessage): boolean {
    return ofWebhook !== idOf(this.#item) && this.#types.some((one) => one === type);
  }

  /** Reads on in the feed, pages of `size`, until `few` changes are open. */
  async #readNew(few: number, size: number): Promise<void> {
    while (this.#more && this.#open.size < few && !this.#isCheckpointDue()) {
      await this.#readPage(size);
    }
  }

  /** Reads a change that waits. The webhook's owner may have asked for other types since it failed. */
  async #readAgain(sequence: number): Promise<void> {
    if (this.#retries.has(sequence)) return;
    const message = await this.#readOne(sequence);
    if (!message) return;
    if (this.#wants(message)) this.#retries.set(sequence, message);
    else this.#progress = dropWaiting(this.#progress, sequence);
  }

  async #readOne(sequence: number): Promise<WebhookMessage | undefined> {
    const { table, now } = this.#context;
    const readAt = now();
    const query = { after: sequence - 1, limit: 1 };
    const { items } = await readFeed(table, this.#organizationId, query);
    return items[0] && changeMessage(items[0], readAt);
  }

  /** The message as it is to be posted now. */
  async #refresh(message: WebhookMessage): Promise<WebhookMessage> {
    const { sequence, readAt } = message;
    if (sequence === null || this.#context.now() - readAt! <= freshMs) return message;
    return (await this.#readOne(sequence)) ?? message;
  }

  async #readPage(limit: number): Promise<void> {
    const { table, now } = this.#context;
    const readAt = now();
    const query = { after: this.#read, limit, types: this.#types };
    const page = await readFeed(table, this.#organizationId, query);
    for (const told of page.items) {
      const { sequence } = told.change;
      const message = changeMessage(told, readAt);
      if (this.#progress.done.includes(sequence) || !this.#wants(message)) continue;
      this.#open.set(sequence, message);
    }
    // A page that brings nothing new: the index does not show the next change yet.
    this.#more = page.hasMore && page.lastSequence > this.#read;
    this.#read = page.lastSequence;
    this.#move();
  }

  #move(): void {
    this.#progress = moveCheckpoint(this.#progress, this.#read, this.#open.keys());
  }

  /** Begins as many posts as there may be. */
  #startPosts(): void {
    if (this.#context.now() - this.#startedAt < sessionMs) {
      for (const message of this.#tests.splice(0)) this.#post(message, false);
    }
    const work = this.#dueWork();
    if (work.kind === 'probe') this.#probe(work.retry);
    if (work.kind !== 'all') return;
    const retries = work.due.flatMap((sequence) => this.#retries.get(sequence) ?? []);
    for (const message of inTurn(retries, [...this.#open.values()])) {
      if (this.#pending.size >= postsAtOnce) return;
      if (!this.#pending.has(message.lane)) this.#post(message, false);
    }
  }

  /** One change alone, once nothing else is under way. */
  #probe(retry: number | undefined): void {
    if (this.#pending.size > 0) return;
    const probe = this.#open.values().next().value ?? this.#retries.get(retry ?? 0);
    if (probe) this.#post(probe, true);
  }

  #post(message: WebhookMessage, probe: boolean): void {
    const posting = this.#attempt(message, probe).finally(() => this.#pending.delete(message.lane));
    this.#pending.set(message.lane, posting);
  }

  async #attempt(message: WebhookMessage, probe: boolean): Promise<void> {
    const { now } = this.#context;
    const { id, type, sequence, body } = await this.#refresh(message);
    const at = now();
    const secrets = validSecrets(this.#item.secrets, at);
    const result = await this.#endpoint.post(body, signedHeaders({ id, body, now: at }, secrets));
    const verdict = verdictOf(result);
    const attempt = this.#attemptsOf(sequence) + 1;
    let outcome: DeliveryOutcome = verdict.kind === 'delivered' ? 'delivered' : 'failed';
    if (sequence === null) this.#sentTests.push(id);
    else {
      const settlement = settle(this.#progress, { sequence, probe }, verdict, now());
      outcome = settlement.outcome;
      this.#progress = settlement.progress;
      if (settlement.eviction) this.#evictions.push(settlement.eviction);
      this.#retries.delete(sequence);
      if (settlement.progress.done.includes(sequence)) this.#open.delete(sequence);
      this.#move();
    }
    this.#deliveries.push({
      id: sequence === null ? id : v7({ msecs: at }),
      event_id: id,
      type,
      sequence,
      attempt,
      outcome,
      status: result.status,
      error: result.failure,
      duration_ms: Math.max(0, Math.round(now() - at)),
      at: new Date(at).toISOString(),
    });
  }

  #attemptsOf(sequence: number | null): number {
    return this.#progress.waiting.find((one) => one.sequence === sequence)?.attempts ?? 0;
  }

  /** Returns when an attempt has ended, or when the next checkpoint may be due. */
  async #waitForResult(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tick = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, checkpointAfterMs);
    });
    await Promise.race([...this.#pending.values(), tick]);
    clearTimeout(timer);
  }

  #isCheckpointDue(): boolean {
    const since = this.#context.now() - this.#lastCheckpoint;
    const results = this.#deliveries.length + this.#evictions.length;
    return (
      results >= checkpointResults ||
      since >= renewLeaseAfterMs ||
      (results > 0 && since >= checkpointAfterMs)
    );
  }

  /** Writes the progress and the log of the attempts. Without a time, it gives the lease back. */
  async #writeCheckpoint(until: number | undefined): Promise<void> {
    const { table, now } = this.#context;
    const [progress, deliveries] = [this.#progress, this.#deliveries];
    const [sentTests, evictions] = [this.#sentTests, this.#evictions];
    [this.#deliveries, this.#sentTests, this.#evictions] = [[], [], []];
    this.#lastCheckpoint = now();
    const givenUp = (
      await Promise.all(evictions.map((one) => this.#evictionDeliveryOf(one)))
    ).flat();
    const due = until
      ? undefined
      : webhookDueWrites(this.#organizationId, this.#item, progress, now());
    const { after, writes } = writeCheckpoint(this.#organizationId, this.#written, this.#token, {
      progress,
      sentTests,
      until,
      set: due && { due_at: due.at },
      now: now(),
    });
    this.#written = after;
    const commit = commitTo(table, ofTime);
    await commit([
      ...writes,
      ...(due?.writes ?? []),
      ...[...deliveries, ...givenUp].map((one) =>
        putDelivery(this.#organizationId, idOf(this.#item), one),
      ),
    ]);
  }

  /** The log's line about a change that was given up: there is no answer, as nothing was posted. */
  async #evictionDeliveryOf({ sequence, attempts }: WaitingChange): Promise<Delivery[]> {
    const message = await this.#readOne(sequence);
    return message ? [toEvictionDelivery(message, attempts, this.#context.now())] : [];
  }
}

/** One of each by turns: retries must not hold up new changes. */
const inTurn = (
  retries: readonly WebhookMessage[],
  open: readonly WebhookMessage[],
): WebhookMessage[] =>
  Array.from({ length: Math.max(retries.length, open.length) }, (_, i) => [retries[i], open[i]])
    .flat()
    .filter((message) => message !== undefined);
