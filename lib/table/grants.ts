import type { Prefix, platformPrefix } from './keys.ts';
import type { ReadAction, WriteAction } from './table.ts';

/** Actions that change an item. */
type ChangeAction = Exclude<WriteAction, 'ConditionCheckItem'>;

/** How the partitions begin that some function may change: all but those of the platform's keys. */
export type OpenPrefix = Exclude<Prefix, typeof platformPrefix>;

/**
 * What an operation may do with the table: `Query by_owner` is `Query` on that index, and `PutItem LEDGER#` is `PutItem` in the
 * partitions whose keys begin so.
 */
export type Grant =
  | Exclude<ReadAction | WriteAction, ChangeAction>
  | `${ChangeAction} ${OpenPrefix}`;

/** The actions that grants allow, wherever. */
export type ActionOf<G> = G extends `${infer A extends ChangeAction} ${OpenPrefix}` ? A : G;

/** Grants of one action in partitions that begin with each of these. */
export const grantsOn = <A extends ChangeAction, P extends OpenPrefix>(
  action: A,
  ...prefixes: readonly P[]
) => prefixes.map((prefix): `${A} ${P}` => `${action} ${prefix}`);
