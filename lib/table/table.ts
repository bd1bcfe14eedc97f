import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { IndexName } from './indexes/lead-indexes.ts';
import type { Key } from './keys.ts';
import type { ItemKey } from './kind.ts';
import type { Item } from './place.ts';

export { type Item, toKey } from './place.ts';

/** The name of an item. */
export const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/**
 * IAM actions on the table itself (`dynamodb:<action>`); `Query <index>` is `Query` on an index. `GetItem` goes with
 * `BatchGetItem`: what is asked for at once is one request.
 */
export type ReadAction = 'GetItem' | 'Query' | `Query ${IndexName}`;
export type WriteAction = 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';
export type Action = ReadAction | WriteAction;

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type WithoutTable<T> = Omit<NonNullable<T>, 'TableName' | 'ReturnValuesOnConditionCheckFailure'>;

interface WriteOf {
  PutItem: { Put: WithoutTable<TransactItem['Put']> };
  UpdateItem: { Update: WithoutTable<TransactItem['Update']> };
  DeleteItem: { Delete: WithoutTable<TransactItem['Delete']> };
  ConditionCheckItem: { ConditionCheck: WithoutTable<TransactItem['ConditionCheck']> };
}

/**
 * One item of a transaction. `refused` says what it means when the item's condition fails: it takes the item that
 * stood in the way, and returns the error to throw. With `namesRecord`, the item that is put also gets an attribute
 * `record`: the name of the idempotency record of the same transaction.
 */
export type Write<G extends Action> = {
  [A in Extract<G, WriteAction>]: WriteOf[A] & {
    refused?: (existing: Item | undefined) => Error;
    namesRecord?: boolean;
    /** The name of the item, where facts tell of it. A commit takes such a write only with a fact, and the table none. */
    thing?: string;
    /** The item that is there, where it is known: it says what the write takes. */
    was?: object;
  };
}[Extract<G, WriteAction>];

type IndexOf<G> = G extends `Query ${infer I extends IndexName}` ? I : never;

export type QueryInput<G extends Action> = QueryWithoutIndex &
  ('Query' extends G ? { index?: IndexOf<G> | undefined } : { index: IndexOf<G> });

interface QueryWithoutIndex {
  condition: string;
  filter?: string;
  names?: Record<string, string>;
  values: Record<string, unknown>;
  /** How many items to read at most, before the filter. */
  limit: number;
  startAfter?: Item | undefined;
  newestFirst?: boolean;
  /** Whether to read strongly consistent. Only for the table: an index is never strongly consistent. */
  consistent?: boolean;
}

export interface Page<T = Item> {
  items: T[];
  /** How many items were read, before the filter. */
  examined: number;
  /** The units that it took. */
  units: number;
  /** DynamoDB's LastEvaluatedKey: undefined at the end of the list. */
  last: Item | undefined;
}

/** What is read by a key: of the key's kind, where it has one. */
export type ReadBy<K> =
  | (K extends ItemKey<infer A> ? Key & A : K extends Key ? Item : never)
  | undefined;
export type AllReadBy<K extends readonly (Key | undefined)[]> = {
  -readonly [I in keyof K]: ReadBy<K[I]>;
};

/** The kind of all items of a list. */
export interface ReadAs<T> {
  kind?: { parse(item: Item): T } | undefined;
}

/** The table with the actions that an operation declares, and no others. */
export type Table<G extends Action> = ('GetItem' extends G
  ? {
      get<K extends Key>(key: K): Promise<ReadBy<K>>;
      getAllEventually<A>(keys: readonly ItemKey<A>[]): Promise<((Key & A) | undefined)[]>;
      getAll<const K extends readonly (Key | undefined)[]>(keys: K): Promise<AllReadBy<K>>;
    }
  : unknown) &
  ([Extract<G, `Query${string}`>] extends [never]
    ? unknown
    : { query<T = Item>(input: QueryInput<G> & ReadAs<T>): Promise<Page<T>> }) &
  ([Extract<G, WriteAction>] extends [never] ? unknown : Transactor<Extract<G, WriteAction>>);

/** Writes all or nothing. */
export interface Transactor<G extends WriteAction> {
  /** No write is tried again after it: milliseconds since the epoch. */
  readonly deadline: number;
  transact(writes: readonly Write<G>[], options?: TransactOptions): Promise<void>;
}

export interface TransactOptions {
  /**
   * Whether to repeat the same writes when they conflict with those of others. If not, `ConflictError` is thrown, and the
   * caller decides anew: others are changing what these writes stand on, so a repeat would only be refused.
   */
  retryConflicts?: boolean;
  /** Whether to repeat them when they are throttled. If not, `unavailable` is thrown. */
  retryThrottles?: boolean;
  /** The longest wait between two attempts, in milliseconds, where others hold the items for moments only. */
  longestWaitMs?: number;
  /** The units that count for this request, in place of those that the writes take: for what one request does for another. */
  countedUnits?: number;
}

/** What may be asked of the table before it is known that the caller is a member. */
export type ReadOnly<G extends Action> = Table<Extract<G, ReadAction>>;

/** The table that `handle` gets: it writes by its `Commit` alone. */
export type Reader<G extends Action> = ReadOnly<G> &
  Pick<Transactor<WriteAction>, 'deadline'> & {
    /** A table within this request, with units of its own: for what is read for others, and counts for nobody. */
    within(): Reader<G>;
  };
