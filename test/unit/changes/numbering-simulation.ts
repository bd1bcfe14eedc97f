import { randomUUID } from 'node:crypto';
import { LocalQueue } from '@leads-and-stars/runner';
import type { Context, DynamoDBRecord, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { operation } from '../../../functions/changes/number-changes.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import { type StreamSurroundings, serveStream } from '../../../lib/handlers/stream.ts';
import type { Key } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/table.ts';
import { historyKey, ledgerEntryKey } from '../../support/keys.ts';
import { chance, pick, random as seeded } from '../../support/random.ts';
import { type Failure, SimulatedStore } from '../../support/simulated-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** A message takes so long to SQS, as long from there, and to be deleted. */
const queueMs = 10;
/** What an invocation costs beside the function's own time, and how long it may last. */
const [invocationMs, functionMs] = [15, 11_000];
const batchSize = 99;
/** So many neighbours make so many changes in a second each. */
const [neighbours, neighbourPerSecond] = [10, 2];
/** Of the changes, how many are of a lead that was changed before. */
const updates = 0.3;
/** The busy organization's failure begins after this. */
const warmUpMs = 500;

export interface Load {
  shards: number;
  /** Changes that the busy organization makes in a second. */
  busyPerSecond: number;
  /** The busy organization spends from its wallet, where it changes no leads. */
  spends?: boolean;
  /** What befalls the busy organization's transactions. */
  failure?: Failure;
  seconds: number;
  /** Nothing is handed over: whoever waits holds the shard. */
  isHeld?: boolean;
}

type Handler = ReturnType<typeof serveStream>;

interface NewEntry {
  key: Key;
  version: number;
  type: string;
}

interface Change {
  key: Key;
  organizationId: string;
  at: number;
  numberedAt?: number;
}

/** One busy organization and some neighbours, whose changes shards of the stream bring to the service's own code. */
export class NumberingSimulation {
  readonly clock: VirtualClock;
  readonly store: SimulatedStore;
  readonly busy = randomUUID() as string;
  readonly neighbours = Array.from({ length: neighbours }, () => randomUUID() as string);
  readonly #random: () => number;
  readonly #load: Load;
  readonly #shards: Shard[];
  readonly #queue: LocalQueue;
  readonly #changes = new Map<string, Change>();
  /** Leads with their last versions. */
  readonly #leads = new Map<string, { id: string; version: number; shard: Shard }[]>();
  readonly #end: number;
  #spends = 0;

  constructor(load: Load, seed: number) {
    this.#load = load;
    this.#random = seeded(seed);
    this.clock = new VirtualClock(this.#random);
    const start = this.clock.now;
    this.#end = start + load.seconds * 1000;
    this.store = new SimulatedStore(this.clock);
    this.store.onWrite = (items) => this.#note(items);
    this.store.failureOf = ({ pk }) => {
      const { now } = this.clock;
      const isFailing = now > start + warmUpMs && now < this.#end;
      return isFailing && pk.includes(this.busy) ? load.failure : undefined;
    };
    this.#shards = Array.from(
      { length: load.shards },
      () => new Shard(this.clock, this.#makeHandler()),
    );
    this.#queue = this.#makeQueue(this.#makeHandler());
  }

  /** Has everybody make changes until the end. */
  async load(): Promise<void> {
    this.#makeChanges(this.busy, this.#load.busyPerSecond);
    for (const one of this.neighbours) this.#makeChanges(one, neighbourPerSecond);
    await this.clock.run(this.#load.seconds * 1000);
  }

  /** Has what is left be numbered, while nothing fails. */
  async drain(seconds: number): Promise<void> {
    await this.clock.run(seconds * 1000);
    this.#queue.close();
  }

  /** How long the changes waited for their numbers, in milliseconds, the shortest first; what has none waits until now. */
  delaysOf(organizations: readonly string[]): number[] {
    return [...this.#changes.values()]
      .filter(({ organizationId }) => organizations.includes(organizationId))
      .map(({ at, numberedAt = this.clock.now }) => numberedAt - at)
      .sort((a, b) => a - b);
  }

  /** The entries of an organization by their numbers, and how many have none. */
  feedOf(organizationId: string): { entries: Item[]; missing: number } {
    const items = [...this.#changes.values()]
      .filter((change) => change.organizationId === organizationId)
      .map(({ key }) => this.store.get(key)!);
    const entries = items.filter(({ sequence }) => sequence !== undefined);
    entries.sort((a, b) => Number(a.sequence) - Number(b.sequence));
    return { entries, missing: items.length - entries.length };
  }

  #makeHandler(): Handler {
    const open = (): StreamSurroundings => ({
      table: this.store.open(),
      wakes: { send: async () => {} },
      queue: { send: (message, { group }) => this.#handOver(message, group) },
    });
    // For so long it attempted before anything was handed over.
    const durationMs = functionMs - 2500;
    return serveStream(operation, { open, ...(this.#load.isHeld && { durationMs }) });
  }

  #makeQueue(handler: Handler): LocalQueue {
    const fifo = { deduplicates: true };
    const settings = {
      logicalId: 'Queue',
      deadLetters: 'DeadLetters',
      arn: 'queue',
      batchSize: 10,
      partialResponses: true,
      maxReceiveCount: 120,
      fifo,
    };
    const invokeWith = async (event: SQSEvent) => {
      await this.clock.sleep(queueMs);
      const payload = JSON.stringify(await invoke(this.clock, handler, event));
      await this.clock.sleep(queueMs);
      return { kind: 'result' as const, payload };
    };
    return new LocalQueue(settings, { invoke: invokeWith, deadLetter: () => {} });
  }

  async #handOver(message: object, group: string): Promise<void> {
    await this.clock.sleep(queueMs);
    if (this.#load.isHeld) throw new ApiError('unavailable');
    this.#queue.send(JSON.stringify(message), 0, group);
  }

  /** At random times. */
  #makeChanges(organizationId: string, perSecond: number): void {
    this.clock.after((-Math.log(1 - this.#random()) / perSecond) * 1000, () => {
      if (this.clock.now >= this.#end) return;
      this.#change(organizationId);
      this.#makeChanges(organizationId, perSecond);
    });
  }

  #change(organizationId: string): void {
    if (this.#load.spends && organizationId === this.busy) {
      this.#spend();
      return;
    }
    const leads = this.#leads.get(organizationId) ?? [];
    this.#leads.set(organizationId, leads);
    let lead = pick(this.#random, leads);
    if (!lead || !chance(this.#random, updates)) {
      lead = { id: randomUUID(), version: 0, shard: pick(this.#random, this.#shards) };
      leads.push(lead);
    }
    const key = historyKey(organizationId, lead.id, ++lead.version);
    this.#add(organizationId, lead.shard, { key, version: lead.version, type: 'lead.updated' });
  }

  /** All entries of a ledger are in one shard. */
  #spend(): void {
    const version = ++this.#spends;
    const key = ledgerEntryKey(this.busy, version);
    this.#add(this.busy, this.#shards[0]!, { key, version, type: 'stars.spent' });
  }

  #add(organizationId: string, shard: Shard, { key, ...entry }: NewEntry): void {
    const at = this.clock.now;
    this.store.put({ ...key, ...entry, at: new Date(at).toISOString() });
    this.#changes.set(nameOf(key), { key, organizationId, at });
    shard.add(key);
  }

  #note(items: readonly Item[]): void {
    for (const item of items) {
      const change = this.#changes.get(nameOf(item as unknown as Key));
      if (change) change.numberedAt = this.clock.now;
    }
  }
}

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const invoke = async (
  clock: VirtualClock,
  handler: Handler,
  event: DynamoDBStreamEvent | SQSEvent,
): ReturnType<Handler> => {
  await clock.sleep(invocationMs);
  const end = clock.now + functionMs;
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => end - clock.now };
  return handler(event, context as Context);
};

/** A shard of the stream, and the one environment that is given its records: as soon as it is free. */
class Shard {
  readonly #clock: VirtualClock;
  readonly #handler: Handler;
  readonly #records: DynamoDBRecord[] = [];
  #isBusy = false;
  #sequence = 0;

  constructor(clock: VirtualClock, handler: Handler) {
    this.#clock = clock;
    this.#handler = handler;
  }

  add({ pk, sk }: Key): void {
    const SequenceNumber = String(++this.#sequence);
    const ApproximateCreationDateTime = this.#clock.now / 1000;
    const Keys = { pk: { S: pk }, sk: { S: sk } };
    this.#records.push({ dynamodb: { SequenceNumber, ApproximateCreationDateTime, Keys } });
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#records.length > 0) await this.#giveBatch(this.#records.splice(0, batchSize));
    this.#isBusy = false;
  }

  /** Again from the first record that failed, until none does. */
  async #giveBatch(batch: DynamoDBRecord[]): Promise<void> {
    let left = batch;
    for (let failures = 0; left.length > 0; failures++) {
      if (failures > 0) await this.#clock.sleep(Math.min(100 * 2 ** failures, 10_000));
      const event = { Records: left } as DynamoDBStreamEvent;
      const { batchItemFailures } = await invoke(this.#clock, this.#handler, event);
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const first = left.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
      left = first < 0 ? [] : left.slice(first);
    }
  }
}
