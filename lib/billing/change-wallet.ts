import { createHash } from 'node:crypto';
import { ApiError, type ErrorDetail, invalid } from '../errors/errors.ts';
import type { Grant } from '../table/grants.ts';
import { type Key, walletKey } from '../table/keys.ts';
import { ConflictError, retry } from '../table/retry.ts';
import type { Item, Table, Write } from '../table/table.ts';
import { deleteOpenHold, expire, readOpenHolds } from './holds/open-holds.ts';
import { type Refusal, refusals } from './refusals.ts';
import type { WalletStep } from './rules/rules.ts';
import { putLedgerEntry } from './stored-entry.ts';
import { timeOf, toWallet, type Wallet, walletItem } from './wallet.ts';

/** What changing a wallet does with the table. */
export const walletGrants = [
  'GetItem',
  'Query',
  'PutItem',
  'DeleteItem',
] as const satisfies Grant[];
export type WalletTable = Table<(typeof walletGrants)[number]>;
type WalletWrite = Write<'PutItem' | 'DeleteItem'>;

/** What is read with the wallet. */
export interface ReadItems {
  guard: Item | undefined;
  others: (Item | undefined)[];
}

/** What is to be written, and the outcome then. */
export interface Decision<T> {
  step: WalletStep;
  /** The guard comes first. So a repeat gets the first outcome, and not a conflict with itself. */
  writes: readonly WalletWrite[];
  outcome: T;
}

/** One update of a wallet, which is made once. */
export interface WalletUpdate<T> {
  organizationId: string;
  guardKey: Key;
  /** What is read in one request with the wallet. */
  others: readonly (Key | undefined)[];
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
 * the table's deadline; then it is `write_conflict`. Throws `invalid_request` for an unknown organization.
 */
export const changeWallet = async <T>(table: WalletTable, update: WalletUpdate<T>): Promise<T> => {
  const lostRace = (error: unknown) => error instanceof ApiError && error.code === 'write_conflict';
  try {
    return await retry(table, () => attempt(table, update), lostRace);
  } catch (error) {
    const first = error instanceof GuardExists && error.guard && update.firstOutcome(error.guard);
    if (first) return first;
    throw error;
  }
};

const attempt = async <T>(table: WalletTable, update: WalletUpdate<T>): Promise<T> => {
  const { organizationId, guardKey } = update;
  for (;;) {
    const keys = [walletKey(organizationId), guardKey, ...update.others];
    const [item, guard, ...others] = await table.getAll(keys);
    const first = guard && update.firstOutcome(guard);
    if (first) return first;
    if (!item) throw invalid('organization_id', 'is not an organization');
    const stored = toWallet(item);
    const now = timeOf(stored, Date.now());
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

/** The most writes of one transaction, and the fewest that an expired hold takes. */
const [mostWrites, writesOfHold] = [100, 2];

/**
 * The wallet, if no open hold has expired. Else this writes off as many expired holds as fit into a
 * transaction, and returns undefined: the wallet has to be read again.
 */
const withoutExpired = async (
  table: WalletTable,
  organizationId: string,
  wallet: Wallet,
  now: number,
): Promise<Wallet | undefined> => {
  const { next_hold_expiry = Number.POSITIVE_INFINITY } = wallet;
  if (now < next_hold_expiry) return wallet;
  const holds = await readOpenHolds(table, organizationId, { limit: mostWrites / writesOfHold });
  const expired = holds
    .filter(({ expires_at }) => expires_at <= now)
    .slice(0, mostWrites / writesOfHold - 1);
  if (expired.length > 0) {
    await writeOff(table, organizationId, wallet, expired, holds[expired.length]?.expires_at);
    return undefined;
  }
  // Those that had expired may have been written off between the two readings.
  const [latest] = await table.getAll([walletKey(organizationId)]);
  if (!latest || toWallet(latest).version !== wallet.version) return undefined;
  return { ...wallet, next_hold_expiry: holds[0]?.expires_at };
};

const writeOff = async (
  table: WalletTable,
  organizationId: string,
  wallet: Wallet,
  holds: Parameters<typeof expire>[1],
  next: number | undefined,
): Promise<void> => {
  const writes: WalletWrite[] = [];
  let after = wallet;
  for (const [i, step] of expire(wallet, holds, next).entries()) {
    const { expires_at, hold_id } = holds[i]!;
    const ofStep = [
      deleteOpenHold(organizationId, expires_at, hold_id),
      ...putLedgerEntry(organizationId, step),
    ];
    // One is the wallet's own.
    if (writes.length + ofStep.length + 1 > mostWrites) break;
    writes.push(...ofStep);
    after = step.wallet;
  }
  await table.transact([putWallet(organizationId, after, wallet), ...writes], {
    retryConflicts: false,
  });
};

/** Replaces the version that the update was decided on. Refused with `write_conflict` if another is there. */
export const putWallet = (
  organizationId: string,
  wallet: Wallet,
  { version, thresholds_version }: Wallet,
): Write<'PutItem'> => ({
  Put: {
    Item: walletItem(organizationId, wallet),
    ConditionExpression:
      '#version = :version AND (attribute_not_exists(thresholds_version) OR thresholds_version = :thresholds)',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': version, ':thresholds': thresholds_version },
  },
  refused: () => new ConflictError(),
});

/** Refused, with what stands there, if the event or hold has a guard already. */
export const putGuard = (guard: Key & Item): Write<'PutItem'> => ({
  Put: { Item: guard, ConditionExpression: 'attribute_not_exists(pk)' },
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

/** The error of a refusal, where being refused is one. */
export const toRefusalError = (refusal: Refusal): ApiError => {
  const { path, message, code = 'invalid_request' }: RefusalText = refusals[refusal];
  return new ApiError(code, { details: [{ path, message }] });
};
type RefusalText = ErrorDetail & { code?: ApiError['code'] };
