import {
  type CancellationReason,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ApiError } from '../errors/errors.ts';
import { BatchReader, type Deliver } from './batch-reader.ts';
import type { Condition } from './condition.ts';
import type { Key } from './keys.ts';
import { ItemKey } from './kind.ts';
import { mostQueryUnits } from './read-budget.ts';
import { ConflictError, retry, type TimeBounds } from './retry.ts';
import { isConflict, isTransient, storeError, tookNothing } from './store-errors.ts';
import type {
  Action,
  AllReadBy,
  Item,
  Page,
  QueryInput,
  ReadAs,
  ReadBy,
  TransactItem,
  TransactOptions,
  Write,
} from './table.ts';
import { nameOf, toKey } from './table.ts';
import type { Toll } from './toll.ts';
import { estimatedUnits, expectedUnits, type Units, unitsOf, type WithCapacity } from './units.ts';
import { type ItemChange, toUpdate } from './write.ts';

/** The units of a read by key at least. */
const unitsOfGet = (isConsistent: boolean): number => (isConsistent ? 1 : 0.5);

/** The table with every action, for one request. Operations see only the `Table` that they declare. */
export class TableClient {
  /** No write is tried again after it: milliseconds since the epoch. */
  readonly deadline: number;
  /**
   * Capacity units so far. DynamoDB doesn't tell those of a write that it refused, or whose response is lost: such a
   * write counts by an estimate.
   */
  readonly unitsByKind: Units;
  /** Asked before the table is; the single updates of `update` are free of it. */
  toll: Toll | undefined;
  /** How many reads were answered so far. */
  answers = 0;
  /** The units of an item, as queries of this request have found them. */
  #unitsOfItem = 0;
  readonly #client: DynamoDBDocumentClient;
  readonly #name: string;
  readonly #ending = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #consistentReader = this.#batchReader(true);
  readonly #eventualReader = this.#batchReader(false);

  constructor(
    client: DynamoDBDocumentClient,
    name: string,
    { deadline, endMs }: TimeBounds = { deadline: Number.POSITIVE_INFINITY },
    unitsByKind: Units = { read: 0, written: 0 },
  ) {
    this.#client = client;
    this.#name = name;
    this.deadline = deadline;
    this.unitsByKind = unitsByKind;
    if (endMs !== undefined) {
      this.#timer = setTimeout(() => this.#ending.abort(), Math.max(0, endMs - Date.now()));
      this.#timer.unref();
    }
  }

  /** The table for another request, which ends at the bounds' end, or when `end` is called. */
  during(bounds: TimeBounds): TableClient {
    return new TableClient(this.#client, this.#name, bounds);
  }

  /** The table for this request, which counts its units, but with bounds of its own: `end` does not end it. */
  beside(bounds: TimeBounds): TableClient {
    return new TableClient(this.#client, this.#name, bounds, this.unitsByKind);
  }

  /** The table for a request within this request, with units of its own. It ends with this request, if not before. */
  within(): TableClient {
    const inner = this.during({ deadline: this.deadline });
    const { signal } = this.#ending;
    if (signal.aborted) inner.end();
    else signal.addEventListener('abort', () => inner.end(), { once: true });
    return inner;
  }

  /** All capacity units so far. */
  get units(): number {
    return this.unitsByKind.read + this.unitsByKind.written;
  }

  /** Milliseconds by which DynamoDB's clock is ahead of this machine's, by its last response; 0 before there is one. */
  get clockOffset(): number {
    return this.#client.config.systemClockOffset;
  }

  /** Aborts what is still under way: nothing of a request may go on into the next request. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
  }

  #batchReader(isConsistent: boolean): BatchReader {
    return new BatchReader((keys, deliver) =>
      keys.length === 1
        ? this.#getOne(keys[0]!, isConsistent, deliver)
        : this.#getMany(keys, isConsistent, deliver),
    );
  }

  /** Passes the toll with the units that a read takes at least. Until its answer, they are among those of the request. */
  async #expect(units: number): Promise<void> {
    this.unitsByKind.read += units;
    try {
      await this.toll?.beforeReading();
    } catch (error) {
      this.unitsByKind.read -= units;
      throw error;
    }
  }

  /** Strongly consistent. */
  get<K extends Key>(key: K): Promise<ReadBy<K>>;
  async get(key: Key): Promise<Item | undefined> {
    const item = await this.#consistentReader.get(key);
    return key instanceof ItemKey ? key.read(item) : item;
  }

  /** Eventually consistent, for half the units, in the order of the keys. Undefined for an item that is not there. */
  getAllEventually<A>(keys: readonly ItemKey<A>[]): Promise<((Key & A) | undefined)[]> {
    return Promise.all(keys.map(async (key) => key.read(await this.#eventualReader.get(key))));
  }

  /** Strongly consistent, in the order of the keys. Undefined for an undefined key, and for an item that is not there. */
  getAll<const K extends readonly (Key | undefined)[]>(keys: K): Promise<AllReadBy<K>>;
  getAll(keys: readonly (Key | undefined)[]): Promise<(Item | undefined)[]> {
    return Promise.all(keys.map((key) => key && this.get(key)));
  }

  async #getOne(key: Key, isConsistent: boolean, deliver: Deliver): Promise<void> {
    const expected = unitsOfGet(isConsistent);
    await this.#expect(expected);
    const command = new GetCommand({
      TableName: this.#name,
      Key: key,
      ConsistentRead: isConsistent,
      ReturnConsumedCapacity: 'TOTAL',
    });
    const { Item } = await this.#send(this.#client.send(command, this.#options), expected);
    deliver(Item ? [Item] : []);
  }

  /** DynamoDB leaves keys unread where it throttles. They are read again. */
  async #getMany(keys: Key[], isConsistent: boolean, deliver: Deliver): Promise<void> {
    let unread = keys;
    let expected = keys.length * unitsOfGet(isConsistent);
    await this.#expect(expected);
    const unreadError = new ApiError('unavailable', { cause: new Error('keys are unread') });
    const attempt = async () => {
      const command = new BatchGetCommand({
        RequestItems: { [this.#name]: { Keys: unread, ConsistentRead: isConsistent } },
        ReturnConsumedCapacity: 'TOTAL',
      });
      const reading = this.#send(this.#client.send(command, this.#options), expected);
      expected = 0;
      const output = await reading;
      unread = (output.UnprocessedKeys?.[this.#name]?.Keys ?? []) as Key[];
      deliver(output.Responses?.[this.#name] ?? [], unread);
      if (unread.length > 0) throw unreadError;
    };
    await retry(this, attempt, (error) => error === unreadError);
  }

  query<T = Item>(input: QueryInput<Action> & ReadAs<T>): Promise<Page<T>>;
  async query(input: QueryInput<Action> & ReadAs<unknown>): Promise<Page<unknown>> {
    const expected = Math.min(mostQueryUnits, input.limit * this.#unitsOfItem);
    await this.#expect(expected);
    const command = new QueryCommand({
      TableName: this.#name,
      IndexName: input.index,
      KeyConditionExpression: input.condition,
      FilterExpression: input.filter,
      ExpressionAttributeNames: input.names,
      ExpressionAttributeValues: input.values,
      Limit: input.limit,
      ExclusiveStartKey: input.startAfter,
      ScanIndexForward: !input.newestFirst,
      ConsistentRead: input.consistent ?? false,
      ReturnConsumedCapacity: 'TOTAL',
    });
    const output = await this.#send(this.#client.send(command, this.#options), expected);
    const { Items = [], ScannedCount: examined = 0, LastEvaluatedKey: last } = output;
    const units = unitsOf(output);
    if (examined > 0) this.#unitsOfItem = units / examined;
    const { kind } = input;
    const items = kind ? Items.map((item) => kind.parse(item)) : Items;
    return { items, examined, units, last };
  }

  /** All or nothing, at most 100 items. Throws for what has to go by a commit, with a fact. */
  async transact(
    writes: readonly Write<Action>[],
    {
      retryConflicts = true,
      retryThrottles = true,
      longestWaitMs,
      countedUnits,
    }: TransactOptions = {},
  ): Promise<void> {
    const past = writes.find(({ thing }) => thing !== undefined);
    if (past) throw new Error(`${past.thing} is written past a commit`);
    const TransactItems = writes.map((write) => this.#transactItem(write));
    const command = new TransactWriteCommand({
      // Makes a repeat the same write, also where the reply to the first was lost.
      ClientRequestToken: crypto.randomUUID(),
      TransactItems,
      ReturnConsumedCapacity: 'TOTAL',
    });
    const estimate = countedUnits ?? estimatedUnits(writes);
    const send = () => this.#client.send(command, this.#options);
    const attempt = () => this.#write(estimate, send, countedUnits);
    const isWorthRetry = (error: unknown) =>
      isTransient(error) && (isConflict(error) ? retryConflicts : retryThrottles);
    await this.toll?.beforeWriting(countedUnits ?? expectedUnits(writes));
    try {
      await retry(this, attempt, isWorthRetry, longestWaitMs);
    } catch (error) {
      if (!isTransient(error)) throw refusal(writes, error) ?? this.#failure(error);
      throw retryConflicts || !isConflict(error) ? this.#failure(error) : new ConflictError(error);
    }
  }

  /**
   * Updates one item by itself, for what belongs to no reply. The SDK's retries may do it twice. Returns whether its
   * condition held. Aborts after `timeoutMs`, if that is given.
   */
  async update<A>(
    key: ItemKey<A>,
    change: ItemChange<NoInfer<A>>,
    condition?: Condition<A>,
    timeoutMs?: number,
  ): Promise<boolean> {
    if (key.hasFacts) throw new Error(`${nameOf(key)} is written past a commit`);
    const command = new UpdateCommand({
      TableName: this.#name,
      Key: toKey(key),
      ...toUpdate(change, condition),
      ReturnConsumedCapacity: 'TOTAL',
    });
    try {
      await this.#write(1, () => this.#client.send(command, this.#during(timeoutMs)));
      return true;
    } catch (error) {
      if ((error as Error).name === 'ConditionalCheckFailedException') return false;
      throw this.#failure(error);
    }
  }

  get #options() {
    return { abortSignal: this.#ending.signal };
  }

  #during(timeoutMs: number | undefined) {
    if (timeoutMs === undefined) return this.#options;
    return { abortSignal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(timeoutMs)]) };
  }

  #failure(error: unknown): Error {
    const { aborted } = this.#ending.signal;
    return aborted ? new ApiError('timeout', { cause: error }) : storeError(error);
  }

  #transactItem({
    refused,
    namesRecord: _,
    thing: __,
    was: ___,
    ...write
  }: Write<Action>): TransactItem {
    const common = {
      TableName: this.#name,
      ...(refused && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
    };
    return Object.fromEntries(
      Object.entries(write).map(([kind, input]) => [kind, { ...input, ...common }]),
    ) as TransactItem;
  }

  /** Replaces what was expected of a read by what it took. */
  async #send<T extends WithCapacity>(reply: Promise<T>, expected: number): Promise<T> {
    try {
      const output = await reply;
      this.unitsByKind.read += unitsOf(output);
      return output;
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.unitsByKind.read -= expected;
      this.answers++;
    }
  }

  /** Counts the estimate at once: whoever asks while the write is under way, or after it was cut off, gets that. */
  async #write(
    estimate: number,
    send: () => Promise<WithCapacity>,
    countedUnits?: number,
  ): Promise<void> {
    this.#ending.signal.throwIfAborted();
    const unitsByKind = this.unitsByKind;
    unitsByKind.written += estimate;
    try {
      const output = await send();
      const taken = countedUnits ?? unitsOf(output);
      unitsByKind.written += taken - estimate;
    } catch (error) {
      if (tookNothing(error)) unitsByKind.written -= estimate;
      throw error;
    }
  }
}

/** The error of the first write whose condition failed, in the order of the writes. */
const refusal = (writes: readonly Write<Action>[], error: unknown): Error | undefined => {
  const reasons = (error as { CancellationReasons?: CancellationReason[] }).CancellationReasons;
  const first = reasons?.findIndex((reason) => reason.Code === 'ConditionalCheckFailed') ?? -1;
  if (first < 0) return undefined;
  const existing = reasons?.[first]?.Item;
  return writes[first]?.refused?.(existing && unmarshall(existing));
};

/** A logger without `info`, so that the SDK does not copy each response for nobody. */
const silent = { debug() {}, warn() {}, error() {} } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>;

/**
 * Milliseconds after which a request is sent once more. DynamoDB responds in a few, so a later response is most likely
 * lost. A transaction that is sent again is the same, by its token.
 */
const responseTimeoutMs = 3000;

/** Opens the table that the environment names in `TABLE_NAME`. */
export const openTable = (): TableClient => {
  const client = new DynamoDBClient({
    maxAttempts: 5,
    logger: silent,
    requestHandler: { connectionTimeout: responseTimeoutMs, socketTimeout: responseTimeoutMs },
  });
  const documents = DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  });
  return new TableClient(documents, process.env.TABLE_NAME ?? '');
};
