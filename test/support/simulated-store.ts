import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { estimatedUnits } from '../../lib/table/units.ts';
import { applyUpdate, type Expressions, holds } from './expressions.ts';
import { PartitionThroughput } from './partition-throughput.ts';
import type { VirtualClock } from './virtual-clock.ts';

const readMs = 5;
const transactionMs = 12;
/** As often as the SDK sends a request, and the milliseconds that it waits at first. */
const [mostSends, firstWaitMs] = [5, 50];

/** What befalls transactions. */
export type Failure = 'is throttled' | 'gets no answer' | 'is refused';

/** What happens to a request, by the SDK's name of it. `pass` carries it out. */
export type SimulatedStep = (name: string, pass: () => Promise<unknown>) => Promise<unknown>;

interface Write extends Expressions {
  kind: string;
  key: Key;
  item: Item | undefined;
}

/**
 * The table in a simulation: it takes its time, and refuses transactions that meet, and what goes beyond a partition's
 * throughput, as DynamoDB does. What it refuses after it began is charged.
 */
export class SimulatedStore {
  readonly #clock: VirtualClock;
  /** By partition key, then by sort key. */
  readonly #partitions = new Map<string, Map<string, Item>>();
  /** Of each feed, its items in the order of their numbers. */
  readonly #feeds = new Map<unknown, Item[]>();
  readonly #held = new Set<string>();
  /** Told of the items of each transaction that was carried out. */
  onWrite: (items: readonly Item[]) => void = () => {};
  /** Decides what befalls a transaction with this item. */
  failureOf: (key: Key) => Failure | undefined = () => undefined;
  /** Told of each request, by what the SDK calls it, before it is carried out: what it throws befalls whoever asked. */
  onRequest: (operation: string) => void = () => {};
  readonly throughput: PartitionThroughput;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.throughput = new PartitionThroughput(() => clock.now);
  }

  /** Opens the table, for a request whose own requests to it meet with this. */
  open(step: SimulatedStep = (_name, pass) => pass()): TableClient {
    // biome-ignore lint/suspicious/noExplicitAny: commands of every kind.
    const send = (command: any, options: object) =>
      step(command.constructor.name, () => this.send(command, options));
    return new TableClient({ send } as unknown as DynamoDBDocumentClient, 'Simulated');
  }

  put(item: Item): void {
    const { pk, sk } = item as unknown as Key;
    const partition = this.#partitions.get(pk) ?? new Map<string, Item>();
    this.#partitions.set(pk, partition.set(sk, item));
  }

  /** Removes an item, as DynamoDB does when its time is over. */
  remove({ pk, sk }: Key): void {
    this.#partitions.get(pk)?.delete(sk);
  }

  /** Puts an item that has its number. */
  putNumbered(item: Item): void {
    this.put(item);
    const feed = this.#feeds.get(item.feed) ?? [];
    this.#feeds.set(item.feed, feed);
    feed.push(item);
  }

  get(key: Key): Item | undefined {
    return this.#partitions.get(key.pk)?.get(key.sk);
  }

  // biome-ignore lint/suspicious/noExplicitAny: commands of every kind.
  async send(command: any, { abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<unknown> {
    const { input } = command;
    this.onRequest(command.constructor.name);
    if (command.constructor.name === 'TransactWriteCommand') {
      return this.#transact(input.TransactItems.map(toWrite), abortSignal);
    }
    await this.#clock.sleep(readMs);
    switch (command.constructor.name) {
      case 'GetCommand': {
        const Item = this.get(input.Key);
        const taken = await this.#charge([[input.Key.pk, Item]]);
        return { Item, ConsumedCapacity: taken };
      }
      case 'BatchGetCommand': {
        const keys: Key[] = input.RequestItems.Simulated.Keys;
        const found = keys.map((key): [string, Item | undefined] => [key.pk, this.get(key)]);
        const taken = await this.#charge(found);
        return {
          Responses: { Simulated: found.flatMap(([, item]) => item ?? []) },
          ConsumedCapacity: taken,
        };
      }
      case 'QueryCommand': {
        const { ExpressionAttributeValues: values, KeyConditionExpression: condition } = input;
        const found = this.#query(condition, values);
        if (input.ScanIndexForward === false) found.reverse();
        const page = found.slice(0, input.Limit);
        const taken = await this.#charge([[String(values[':pk'] ?? values[':feed']), page]]);
        const isMore = found.length > input.Limit;
        return {
          Items: page,
          ScannedCount: page.length,
          ConsumedCapacity: taken,
          ...(isMore && { LastEvaluatedKey: {} }),
        };
      }
      default:
        throw new Error(`${command.constructor.name} is not simulated`);
    }
  }

  /** Takes the units of a read, as soon as the partitions have them, as often as the SDK asks again. */
  async #charge(read: readonly [string, Item | Item[] | undefined][]) {
    const units = read.map(([pk, found]): [string, number] => [
      pk,
      Math.max(1, Math.ceil(kibOf([found ?? []].flat()) / 4)),
    ]);
    for (let sends = 1; !this.throughput.read(units); sends++) {
      if (sends === mostSends) throw failed('ProvisionedThroughputExceededException');
      await this.#clock.sleep(Math.random() * firstWaitMs * 2 ** (sends - 1));
    }
    return { CapacityUnits: units.reduce((sum, [, one]) => sum + one, 0) };
  }

  #query(condition: string, values: Item): Item[] {
    switch (condition) {
      case 'feed = :feed AND #sequence > :after':
        return this.#feeds.get(values[':feed'])?.slice(Number(values[':after'])) ?? [];
      case 'pk = :pk':
        return this.partition(values[':pk']);
      case 'pk = :pk AND sk <= :sk':
        return this.partition(values[':pk'], (sk) => sk <= values[':sk']!);
      case 'pk = :pk AND sk < :sk':
        return this.partition(values[':pk'], (sk) => sk < values[':sk']!);
      case 'pk = :pk AND sk > :after':
        return this.partition(values[':pk'], (sk) => sk > values[':after']!);
      default:
        throw new Error(`the query ${condition} is not simulated`);
    }
  }

  /** The items of a partition, in their order. */
  partition(pk: unknown, has: (sk: string) => boolean = () => true): Item[] {
    const all = [...(this.#partitions.get(String(pk)) ?? [])].filter(([sk]) => has(sk));
    return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  }

  async #transact(writes: Write[], abortSignal: AbortSignal | undefined): Promise<unknown> {
    const failure = writes.map(({ key }) => this.failureOf(key)).find(Boolean);
    if (failure === 'gets no answer') return whenAborted(abortSignal);
    const names = writes.map(({ key }) => nameOf(key));
    const units = writes.map((one): [string, number] => [one.key.pk, 2 * this.#kib(one)]);
    if (!this.throughput.write(units)) {
      await this.#clock.sleep(readMs);
      throw cancelled(writes.map(() => 'ThrottlingError'));
    }
    const isMet = names.some((name) => this.#held.has(name));
    if (!isMet) for (const name of names) this.#held.add(name);
    await this.#clock.sleep(transactionMs);
    if (isMet) throw cancelled(writes.map(() => 'TransactionConflict'));
    for (const name of names) this.#held.delete(name);
    if (failure === 'is throttled') throw cancelled(writes.map(() => 'ThrottlingError'));
    if (failure === 'is refused') throw failed('ValidationException');
    const reasons = writes.map((one) =>
      holds(this.get(one.key), one) ? 'None' : 'ConditionalCheckFailed',
    );
    if (reasons.includes('ConditionalCheckFailed')) throw cancelled(reasons);
    this.onWrite(writes.map((one) => this.#write(one)));
    return { ConsumedCapacity: { CapacityUnits: units.reduce((sum, [, one]) => sum + one, 0) } };
  }

  /** Of the larger item, that before or that after. */
  #kib({ key, item }: Write): number {
    return Math.max(kibOf([item ?? key]), kibOf([this.get(key) ?? key]));
  }

  #write(write: Write): Item {
    const { kind, key, item } = write;
    if (kind === 'Delete') {
      this.remove(key);
      return { ...key };
    }
    const next = kind === 'Put' ? item! : applyUpdate({ ...this.get(key), ...key }, write);
    this.put(next);
    return next;
  }
}

const toWrite = (one: Record<string, Expressions & { Key?: Key; Item?: Item }>): Write => {
  const [[kind, { Key, Item, ...expressions }]] = Object.entries(one) as [
    [string, Expressions & { Key?: Key; Item?: Item }],
  ];
  return {
    kind,
    key: Key ?? (Item as unknown as Key),
    item: Item && defined(Item),
    ...expressions,
  };
};

/** As the table stores it: without what is undefined. */
const defined = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

/** Started KiB of items, each for itself. */
const kibOf = (items: readonly object[]): number =>
  items.reduce((sum: number, Item) => sum + estimatedUnits([{ Put: { Item } }]) / 2, 0);

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const failed = (name: string, more: object = {}): Error =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 }, ...more });

const cancelled = (codes: string[]): Error =>
  failed('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

const whenAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
  });
