import { ApiError, invalid } from '../errors/errors.ts';
import { type Key, walletKey } from '../table/keys.ts';
import { ConflictError, isWriteConflict, retry } from '../table/retry.ts';
import type { Item, Table } from '../table/table.ts';
import {
  type Decision,
  GuardExists,
  givenFirst,
  type Rejection,
  type UpdateKeys,
  type WalletTable,
  type WalletUpdate,
  type WalletWrite,
} from './change-wallet.ts';
import { putLedgerEntry } from './stored-entry.ts';
import { putWallet, timeOf, toWallet, type Wallet } from './wallet.ts';
import { mostWrites, withoutExpired } from './write-off.ts';

/** What became of one of several updates. */
export type Result<T> = { outcome: T } | { error: unknown };

/** What is read, or would be read after the updates before. By the names of their keys. */
export type BatchItems = ReadonlyMap<string, Item | undefined>;

const idOf = ({ pk, sk }: Key | Item): string => `${pk} ${sk}`;

/** So many updates are decided together at most: each has two writes at least, and the wallet is one. */
const mostUpdates = Math.floor((mostWrites - 1) / 2);

/**
 * Makes updates of one wallet, each once, as if one after another, but in as few transactions as they fit into. Each
 * has a result of its own, in their order. If the time is up or the table fails, that is the result of those that
 * are left. `items`: what the first attempt reads, if it was read before.
 */
export const changeWalletInBatch = async <T>(
  table: WalletTable,
  organizationId: string,
  updates: readonly WalletUpdate<T>[],
  items?: BatchItems,
): Promise<Result<T>[]> => {
  const results: Result<T>[] = [];
  const readItems = givenFirst(items, (next: readonly WalletUpdate<T>[]) =>
    readBatchItems(table, organizationId, next),
  );
  try {
    while (results.length < updates.length) {
      if (results.length > 0 && Date.now() > table.deadline) throw new ApiError('timeout');
      const next = updates.slice(results.length, results.length + mostUpdates);
      const work = () => attempt(table, organizationId, next, readItems);
      results.push(...(await retry(table, work, isWriteConflict)));
    }
    return results;
  } catch (error) {
    return [...results, ...updates.slice(results.length).map(() => ({ error }))];
  }
};

/** The results of the first of these updates: of as many as a transaction has room for. */
const attempt = async <T>(
  table: WalletTable,
  organizationId: string,
  updates: readonly WalletUpdate<T>[],
  readItems: (updates: readonly WalletUpdate<T>[]) => Promise<BatchItems>,
): Promise<Result<T>[]> => {
  for (;;) {
    const items = await readItems(updates);
    const firsts = updates.map((update) => firstResult(update, items));
    if (firsts.every((first) => first !== undefined)) return firsts;
    const item = items.get(idOf(walletKey(organizationId)));
    if (!item) {
      const error = invalid('organization_id', 'is not an organization');
      return firsts.map((first) => first ?? { error });
    }
    const stored = toWallet(item);
    const now = timeOf(stored, Date.now());
    const wallet = await withoutExpired(table, organizationId, stored, now);
    if (!wallet) {
      if (Date.now() > table.deadline) throw new ApiError('write_conflict');
      continue;
    }
    const plan = new Plan<T>(organizationId, wallet, now, items);
    updates.every((update) => plan.add(update));
    try {
      return await carryOut(table, plan, stored);
    } catch (error) {
      if (!(error instanceof GuardExists)) throw error;
      // One of them was made meanwhile in another way. Its guard is read now, and gives its first outcome.
      if (Date.now() > table.deadline) throw new ConflictError(error);
    }
  }
};

/** The wallet, and what else the updates need, in one request. */
export const readBatchItems = async (
  table: Table<'GetItem'>,
  organizationId: string,
  updates: readonly UpdateKeys[],
): Promise<BatchItems> => {
  const keys = updates.flatMap(({ guardKey, others }) => [guardKey, ...others]);
  const all = [walletKey(organizationId), ...keys.filter((key) => key !== undefined)];
  const items = await table.getAll(all);
  return new Map(all.map((key, i) => [idOf(key), items[i]]));
};

/** The result of an update that was made before, or that another one made impossible. */
const firstResult = <T>(
  { guardKey, firstOutcome }: WalletUpdate<T>,
  items: BatchItems,
): Result<T> | undefined => {
  const guard = items.get(idOf(guardKey));
  try {
    const outcome = guard && firstOutcome(guard);
    return outcome && { outcome };
  } catch (error) {
    return { error };
  }
};

/**
 * Writes what is planned. A rejected update may have been made after its guard was read and before the wallet was: so its
 * guard is read again. Later it can't have been made, as then the wallet is another, and nothing is written.
 */
const carryOut = async <T>(
  table: WalletTable,
  plan: Plan<T>,
  stored: Wallet,
): Promise<Result<T>[]> => {
  const writes = plan.writes(stored);
  const rejectedKeys = plan.results.map((result) => {
    const key = 'rejection' in result ? result.update.guardKey : undefined;
    // There was none, if this transaction puts one, for another update with that id.
    return key && plan.puts(key) ? undefined : key;
  });
  const [guards] = await Promise.all([
    table.getAll(rejectedKeys),
    writes.length > 0 ? table.transact(writes, { retryConflicts: false }) : undefined,
  ]);
  return plan.results.map((result, i) => {
    if (!('rejection' in result)) return result;
    const { update, rejection } = result;
    const first = firstResult(update, new Map([[idOf(update.guardKey), guards[i]]]));
    return first ?? (rejection instanceof Error ? { error: rejection } : { outcome: rejection });
  });
};

type Rejected<T> = Rejection<T> & { update: WalletUpdate<T> };

/** Updates that were decided one after another, and are written at once. */
class Plan<T> {
  readonly results: (Result<T> | Rejected<T>)[] = [];
  readonly #organizationId: string;
  readonly #now: number;
  readonly #items: Map<string, Item | undefined>;
  #wallet: Wallet;
  /** Beside the wallet and its entries. By their items: each is written once. */
  #writes: ReadonlyMap<string, WalletWrite> = new Map();
  readonly #entryWrites: WalletWrite[] = [];

  constructor(organizationId: string, wallet: Wallet, now: number, items: BatchItems) {
    this.#organizationId = organizationId;
    this.#wallet = wallet;
    this.#now = now;
    this.#items = new Map(items);
  }

  /** Returns false where there is no room for it. */
  add(update: WalletUpdate<T>): boolean {
    const decision = this.#decide(update);
    if (!('step' in decision)) {
      this.results.push('rejection' in decision ? { ...decision, update } : decision);
      return true;
    }
    const { step, outcome } = decision;
    const entryWrites = putLedgerEntry(this.#organizationId, step);
    const writes = fold(this.#writes, decision.writes);
    const count = 1 + (writes?.size ?? mostWrites) + this.#entryWrites.length + entryWrites.length;
    if (!writes || count > mostWrites) return false;
    this.#writes = writes;
    this.#entryWrites.push(...entryWrites);
    for (const write of decision.writes) {
      this.#items.set(idOf(keyOf(write)), 'Put' in write ? write.Put.Item : undefined);
    }
    this.#wallet = step.wallet;
    this.results.push({ outcome });
    return true;
  }

  #decide(update: WalletUpdate<T>): Result<T> | Decision<T> | Rejection<T> {
    const first = firstResult(update, this.#items);
    if (first) return first;
    if (this.#now > (update.notAfter ?? Number.POSITIVE_INFINITY)) {
      return { rejection: new ApiError('too_late') };
    }
    const [guard, ...others] = [update.guardKey, ...update.others].map(
      (key) => key && this.#items.get(idOf(key)),
    );
    try {
      return update.decide(this.#wallet, this.#now, { guard, others });
    } catch (error) {
      return { error };
    }
  }

  puts(key: Key): boolean {
    return this.#writes.has(idOf(key));
  }

  /** None if no update changes anything. Entries come last: that they are there says only that the wallet is another. */
  writes(stored: Wallet): WalletWrite[] {
    if (this.#writes.size === 0) return [];
    return [
      ...this.#writes.values(),
      putWallet(this.#organizationId, this.#wallet, stored),
      ...this.#entryWrites,
    ];
  }
}

const keyOf = (write: WalletWrite): Item => ('Put' in write ? write.Put.Item! : write.Delete.Key!);

/**
 * All writes, of each item one: what the last puts, where the first may put it. Undefined if one deletes what
 * another writes.
 */
const fold = (
  writes: ReadonlyMap<string, WalletWrite>,
  more: readonly WalletWrite[],
): ReadonlyMap<string, WalletWrite> | undefined => {
  const all = new Map(writes);
  for (const write of more) {
    const id = idOf(keyOf(write));
    const before = all.get(id);
    if (!before) all.set(id, write);
    else if ('Put' in before && 'Put' in write) {
      all.set(id, { ...before, Put: { ...before.Put, Item: write.Put.Item } });
    } else return undefined;
  }
  return all;
};
