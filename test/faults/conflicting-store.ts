import { setTimeout as wait } from 'node:timers/promises';
import { type EngineProxy, type EngineRequest, forward, startEngineProxy } from './engine-proxy.ts';
import { cancelled } from './failures.ts';

/** How long a transaction holds its items, in milliseconds: about as long as in DynamoDB. */
const holds = 10;

interface Written {
  TableName: string;
  Key?: object;
  Item?: { pk: unknown; sk: unknown };
  ConditionExpression?: string;
}
type Keyed = Record<string, Written>;

/**
 * Refuses a transaction while another has one of its items, as DynamoDB does and the engines do not. Its other items are
 * judged all the same: what must be new and is there is a failed condition beside the conflict.
 */
export class ConflictingStore {
  readonly #engine: string;
  readonly #held = new Set<string>();
  #proxy!: EngineProxy;
  conflicts = 0;
  /** Of these, how many had a failed condition, too. */
  mixed = 0;

  private constructor(engine: string) {
    this.#engine = engine;
  }

  static async start(engine: string): Promise<ConflictingStore> {
    const store = new ConflictingStore(engine);
    store.#proxy = await startEngineProxy((request) =>
      request.operation === 'TransactWriteItems'
        ? store.#transact(request)
        : forward(engine, request),
    );
    return store;
  }

  get endpoint(): string {
    return this.#proxy.endpoint;
  }

  close(): Promise<void> {
    return this.#proxy.close();
  }

  async #transact(request: EngineRequest) {
    const text = request.body.toString();
    const writes = (JSON.parse(text).TransactItems as Keyed[]).map(writtenBy);
    const keys = writes.map(keyOf);
    if (keys.some((key) => this.#held.has(key))) {
      const isHeld = keys.map((key) => this.#held.has(key));
      const why = await Promise.all(
        writes.map((write, i) =>
          isHeld[i] ? 'TransactionConflict' : this.#reasonOf(write, request),
        ),
      );
      this.conflicts++;
      if (why.includes('ConditionalCheckFailed')) this.mixed++;
      return cancelled(text, why);
    }
    for (const key of keys) this.#held.add(key);
    try {
      const [reply] = await Promise.all([forward(this.#engine, request), wait(holds)]);
      return reply;
    } finally {
      for (const key of keys) this.#held.delete(key);
    }
  }

  async #reasonOf(write: Written, { headers }: EngineRequest): Promise<string> {
    if (write.ConditionExpression !== 'attribute_not_exists(pk)') return 'None';
    const target = String(headers['x-amz-target']).replace('TransactWriteItems', 'GetItem');
    const { TableName } = write;
    const asked = { TableName, Key: primaryKey(write), ConsistentRead: true };
    const { body } = await forward(this.#engine, {
      operation: 'GetItem',
      headers: { ...headers, 'x-amz-target': target },
      body: Buffer.from(JSON.stringify(asked)),
    });
    return JSON.parse(body.toString()).Item ? 'ConditionalCheckFailed' : 'None';
  }
}

const writtenBy = (write: Keyed): Written => Object.values(write)[0]!;

const primaryKey = ({ Key, Item }: Written): object => {
  const { pk, sk } = (Key ?? Item) as { pk: unknown; sk: unknown };
  return { pk, sk };
};

const keyOf = (write: Written): string => JSON.stringify(primaryKey(write));
