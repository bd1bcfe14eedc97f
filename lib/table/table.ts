import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Reply } from '../operations/operation.ts';
import type { Grant, ReadGrant, WriteGrant } from './grants.ts';
import type { IndexName, Key } from './keys.ts';

export type Item = Record<string, unknown>;

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type WithoutTable<T> = Omit<NonNullable<T>, 'TableName' | 'ReturnValuesOnConditionCheckFailure'>;

interface WriteOf {
  PutItem: { Put: WithoutTable<TransactItem['Put']> };
  UpdateItem: { Update: WithoutTable<TransactItem['Update']> };
  DeleteItem: { Delete: WithoutTable<TransactItem['Delete']> };
  ConditionCheckItem: { ConditionCheck: WithoutTable<TransactItem['ConditionCheck']> };
}

/**
 * One item of a transaction. Where it has a condition, `refused` says what its failure means: it is
 * given the item that stood in the way and returns the error to throw.
 */
export type Write<G extends Grant> = {
  [A in Extract<G, WriteGrant>]: WriteOf[A] & { refused?: (existing: Item | undefined) => Error };
}[Extract<G, WriteGrant>];

type IndexOf<G> = G extends `Query ${infer I extends IndexName}` ? I : never;

export type QueryInput<G extends Grant> = QueryWithoutIndex &
  ('Query' extends G ? { index?: IndexOf<G> | undefined } : { index: IndexOf<G> });

interface QueryWithoutIndex {
  condition: string;
  filter?: string;
  names?: Record<string, string>;
  values: Record<string, unknown>;
  /** Items examined, before the filter. */
  limit: number;
  startAfter?: Item | undefined;
  newestFirst?: boolean;
  /** Of the table only: an index never is. */
  consistent?: boolean;
}

export interface Page {
  items: Item[];
  /** How many items were read, before the filter. */
  examined: number;
  /** DynamoDB's LastEvaluatedKey: absent when the list is read to its end. */
  last: Item | undefined;
}

/** The table, narrowed to the actions that an operation declared: what is not granted, is not there. */
export type Table<G extends Grant> = ('GetItem' extends G
  ? { get(key: Key, options?: { consistent?: boolean }): Promise<Item | undefined> }
  : unknown) &
  ('BatchGetItem' extends G
    ? { getAll(keys: readonly (Key | undefined)[]): Promise<(Item | undefined)[]> }
    : unknown) &
  ([Extract<G, `Query${string}`>] extends [never]
    ? unknown
    : { query(input: QueryInput<G>): Promise<Page> }) &
  ([Extract<G, WriteGrant>] extends [never] ? unknown : Transactor<Extract<G, WriteGrant>>);

/** Writes all or nothing. */
export interface Transactor<G extends WriteGrant> {
  /** When no write is tried again: milliseconds since the epoch. */
  readonly deadline: number;
  transact(writes: readonly Write<G>[], options?: TransactOptions): Promise<void>;
}

export interface TransactOptions {
  /** Whether to repeat the same writes when others conflict. Not where they must be made anew. */
  retryConflicts?: boolean;
}

/** What may be asked of the table before the caller is known to be a member. */
export type ReadOnly<G extends Grant> = Table<Extract<G, ReadGrant>>;

/** What `handle` is given of the table: it writes by nothing but its `Commit`. */
export type Reader<G extends Grant> = ReadOnly<G> & Pick<Transactor<WriteGrant>, 'deadline'>;

/**
 * Writes all or nothing, and in the same transaction records what is answered then: once for each
 * request. An operation has no other way to write, so none can forget the record.
 */
export type Commit<G extends WriteGrant> = <B>(
  writes: readonly Write<G>[],
  reply: Reply<B>,
) => Promise<Reply<B>>;

/** Answers one part of a batch, by its place in the request: once, as a request of its own. */
export type Part<G extends WriteGrant> = <B>(
  i: number,
  work: (commit: Commit<G>) => Promise<Reply<B>>,
) => Promise<Reply<B>>;
