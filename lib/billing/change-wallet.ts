import { createHash } from 'node:crypto';
import { ApiError, type ErrorDetail, invalid } from '../errors/errors.ts';
import type { Commit } from '../operations/commit.ts';
import type { Grant } from '../table/grants.ts';
import { type Key, walletKey } from '../table/keys.ts';
import { isWriteConflict, retry } from '../table/retry.ts';
import type { Item, Reader, Table, TransactOptions, Write } from '../table/table.ts';
import type { Balance } from './balance.ts';
import { type Refusal, refusals } from './refusals.ts';
import type { WalletStep } from './rules/rules.ts';
import { putLedgerEntry } from './stored-entry.ts';
import { putWallet, timeOf, toWallet, type Wallet } from './wallet.ts';
import { withoutExpired } from './write-off.ts';

/** What changing a wallet does with the table. */
export const walletGrants = [
  'GetItem',
  'Query',
  'PutItem',
  'DeleteItem',
] as const satisfies Grant[];
export type WalletTable = Table<(typeof walletGrants)[number]>;
export type WalletWrite = Write<'PutItem' | 'DeleteItem'>;

/**
 * The table as an operation has it: all that it writes goes by its commit. A change of a wallet may take several
 * transactions, so such an operation is no idempotent one: the id in its path makes it so.
 */
export const walletTableOf = (
  table: Reader<'GetItem' | 'Query'>,
  commit: Commit<'PutItem' | 'DeleteItem'>,
): WalletTable => ({
  get: (key) => table.get(key),
  getAll: (keys) => table.getAll(keys),
  query: (input) => table.query(input),
  deadline: table.deadline,
  async transact(writes: readonly WalletWrite[], options?: TransactOptions) {
    await commit(writes, { body: undefined }, options);
  },
});

/** The keys of what an update of a wallet reads at once. */
export interface UpdateKeys {
  organizationId: string;
  /** Of the item that says whether the update was made, and of what it was. */
  guardKey: Key;
  others: readonly (Key | undefined)[];
}

/** What is read with the wallet. */
export interface ReadItems {
  guard: Item | undefined;
  others: (Item | undefined)[];
}

/** The wallet, and what is read with it. */
export interface UpdateItems extends ReadItems {
  wallet: Item | undefined;
}

/** One request to the table. */
export const readUpdateItems = async (
  table: Table<'GetItem'>,
  { organizationId, guardKey, others: keys }: UpdateKeys,
): Promise<UpdateItems> => {
  const [wallet, guard, ...others] = await table.getAll([
    walletKey(organizationId),
    guardKey,
    ...keys,
  ]);
  return { wallet, guard, others };
};

/** What is to be written, and the outcome then. */
export interface Decision<T> {
  step: WalletStep;
  /** The guard comes first. So a repeat gets the first outcome, and not a conflict with itself. */
  writes: readonly WalletWrite[];
  outcome: T;
}

/** One update of a wallet, which is made once. */
export interface WalletUpdate<T> extends UpdateKeys {
  /** Milliseconds since the epoch: if the wallet's time is later, it is `too_late`. */
  notAfter?: number | undefined;
  /** The outcome of the first time, if the guard says that there was one. */
  firstOutcome(guard: Item): T | undefined;
  /** Pure. `now` is the wallet's time; no hold of the wallet has expired by then. */
  decide(wallet: Wallet, now: number, items: ReadItems): Decision<T> | Rejection<T>;
}

/** Nothing is written. An error is thrown. */
export interface Rejection<T> {
  rejection: T | Error;
}

/**
 * Changes a wallet: wallet, ledger entry and guard in one transaction, once. Holds that have expired are
 * written off before, in as many transactions as it takes. Who loses a race reads again and retries until
 * the table's deadline; then it is `write_conflict`. `items`: what the first attempt reads, if it was read before.
 * Throws `too_late`, and `invalid_request` for an unknown organization.
 */
export const changeWallet = async <T>(
  table: WalletTable,
  update: WalletUpdate<T>,
  items?: UpdateItems,
): Promise<T> => {
  const readItems = givenFirst(items, () => readUpdateItems(table, update));
  try {
    return await retry(table, () => attempt(table, update, readItems), isWriteConflict);
  } catch (error) {
    const first = error instanceof GuardExists && error.guard && update.firstOutcome(error.guard);
    if (first) return first;
    throw error;
  }
};

/** Reads, but gives what was read before, if anything was, the first time. */
export const givenFirst = <Args extends unknown[], T>(
  first: T | undefined,
  read: (...args: Args) => Promise<T>,
): ((...args: Args) => Promise<T>) => {
  let unused = first;
  return async (...args) => {
    const given = unused;
    unused = undefined;
    return given ?? read(...args);
  };
};

const attempt = async <T>(
  table: WalletTable,
  update: WalletUpdate<T>,
  readItems: () => Promise<UpdateItems>,
): Promise<T> => {
  const { organizationId, notAfter = Number.POSITIVE_INFINITY } = update;
  for (;;) {
    const { wallet: item, guard, others } = await readItems();
    const first = guard && update.firstOutcome(guard);
    if (first) return first;
    if (!item) throw invalid('organization_id', 'is not an organization');
    const stored = toWallet(item);
    const now = timeOf(stored, Date.now());
    if (now > notAfter) return reject(table, update, { rejection: new ApiError('too_late') });
    const wallet = await withoutExpired(table, organizationId, stored, now);
    if (!wallet) {
      if (Date.now() > table.deadline) throw new ApiError('write_conflict');
      continue;
    }
    const decision = update.decide(wallet, now, { guard, others });
    if ('rejection' in decision) return reject(table, update, decision);
    const { step, writes, outcome } = decision;
    await table.transact(
      [
        ...writes,
        putWallet(organizationId, step.wallet, stored),
        ...putLedgerEntry(organizationId, step),
      ],
      { retryConflicts: false },
    );
    return outcome;
  }
};

/** This same update may have been made after the guard was read and before the wallet was. */
const reject = async <T>(
  table: WalletTable,
  { guardKey, firstOutcome }: WalletUpdate<T>,
  { rejection }: Rejection<T>,
): Promise<T> => {
  const [guard] = await table.getAll([guardKey]);
  const first = guard && firstOutcome(guard);
  if (first) return first;
  if (rejection instanceof Error) throw rejection;
  return rejection;
};

/** Refused, with what stands there, unless the condition holds: by default, if the event or hold has a guard already. */
export const putGuard = (
  guard: Item,
  ConditionExpression = 'attribute_not_exists(pk)',
): Write<'PutItem'> => ({
  Put: { Item: guard, ConditionExpression },
  refused: (existing) => new GuardExists(existing),
});

export class GuardExists extends Error {
  readonly guard: Item | undefined;
  constructor(guard: Item | undefined) {
    super('it was done before');
    this.guard = guard;
  }
}

/** The same request has the same fingerprint: its names are sorted, and no value is an object. */
export const fingerprint = (request: object): string =>
  createHash('sha256')
    .update(JSON.stringify(request, Object.keys(request).sort()))
    .digest('base64url');

/** The error where the guard is of another event or hold. */
export const toReusedIdError = (path: 'event_id' | 'hold_id'): ApiError =>
  new ApiError('event_id_reused', {
    details: [{ path, message: 'was used for another event or hold' }],
  });

/** The error of a refusal, where being refused is one. For `insufficient_stars`, it tells what is available. */
export const toRefusalError = (refusal: Refusal, { available_stars }: Balance): ApiError => {
  const { path, message, code = 'invalid_request' }: RefusalText = refusals[refusal];
  const available = code === 'insufficient_stars' && { available_stars };
  return new ApiError(code, { details: [{ path, message, ...available }] });
};
type RefusalText = ErrorDetail & { code?: ApiError['code'] };
