import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { applyUpdate, type Expressions, holds } from './expressions.ts';
import type { VirtualClock } from './virtual-clock.ts';

const readMs = 5;
const transactionMs = 12;

/** What befalls transactions. */
export type Failure = 'is throttled' | 'gets no answer' | 'is refused';

interface Write extends Expressions {
  kind: string;
  key: Key;
  item: Item | undefined;
}

/** The table in a simulation: it takes its time, and refuses transactions that meet, as DynamoDB does. */
export class SimulatedStore {
  readonly #clock: VirtualClock;
  readonly #items = new Map<string, Item>();
  /** Of each feed, its items in the order of their numbers. */
  readonly #feeds = new Map<unknown, Item[]>();
  readonly #held = new Set<string>();
  /** Told of the items of each transaction that was carried out. */
  onWrite: (items: readonly Item[]) => void = () => {};
  /** Decides what befalls a transaction with this item. */
  failureOf: (key: Key) => Failure | undefined = () => undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  open(): TableClient {
    return new TableClient(this as unknown as DynamoDBDocumentClient, 'Simulated');
  }

  put(item: Item): void {
    this.#items.set(nameOf(item as unknown as Key), item);
  }

  /** Puts an item that has its number. */
  putNumbered(item: Item): void {
    this.put(item);
    const feed = this.#feeds.get(item.feed) ?? [];
    this.#feeds.set(item.feed, feed);
    feed.push(item);
  }

  get(key: Key): Item | undefined {
    return this.#items.get(nameOf(key));
  }

  // biome-ignore lint/suspicious/noExplicitAny: commands of every kind.
  async send(command: any, { abortSignal }: { abortSignal?: AbortSignal } = {}): Promise<unknown> {
    const { input } = command;
    if (command.constructor.name === 'TransactWriteCommand') {
      return this.#transact(input.TransactItems.map(toWrite), abortSignal);
    }
    await this.#clock.sleep(readMs);
    switch (command.constructor.name) {
      case 'GetCommand':
        return { Item: this.get(input.Key) };
      case 'BatchGetCommand': {
        const keys: Key[] = input.RequestItems.Simulated.Keys;
        return { Responses: { Simulated: keys.flatMap((key) => this.get(key) ?? []) } };
      }
      case 'QueryCommand': {
        const found = this.#query(input.KeyConditionExpression, input.ExpressionAttributeValues);
        if (input.ScanIndexForward === false) found.reverse();
        const isMore = found.length > input.Limit;
        return { Items: found.slice(0, input.Limit), ...(isMore && { LastEvaluatedKey: {} }) };
      }
      default:
        throw new Error(`${command.constructor.name} is not simulated`);
    }
  }

  #query(condition: string, values: Item): Item[] {
    switch (condition) {
      case 'feed = :feed AND #sequence > :after':
        return this.#feeds.get(values[':feed'])?.slice(Number(values[':after'])) ?? [];
      case 'pk = :pk':
        return this.partition(values[':pk']);
      case 'pk = :pk AND sk > :after':
        return this.partition(values[':pk']).filter(({ sk }) => String(sk) > `${values[':after']}`);
      default:
        throw new Error(`the query ${condition} is not simulated`);
    }
  }

  /** The items of a partition, in the order of their sort keys. */
  partition(pk: unknown): Item[] {
    return [...this.#items.values()]
      .filter((item) => item.pk === pk)
      .sort((a, b) => (String(a.sk) < String(b.sk) ? -1 : 1));
  }

  async #transact(writes: Write[], abortSignal: AbortSignal | undefined): Promise<unknown> {
    const failure = writes.map(({ key }) => this.failureOf(key)).find(Boolean);
    if (failure === 'gets no answer') return whenAborted(abortSignal);
    const names = writes.map(({ key }) => nameOf(key));
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
    return {};
  }

  #write(write: Write): Item {
    const { kind, key, item } = write;
    if (kind === 'Delete') {
      this.#items.delete(nameOf(key));
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
  return { kind, key: Key ?? (Item as unknown as Key), item: Item, ...expressions };
};

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const failed = (name: string, more: object = {}): Error =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode: 400 }, ...more });

const cancelled = (codes: string[]): Error =>
  failed('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

const whenAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
  });
