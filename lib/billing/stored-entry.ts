import { orderFields } from '../table/field-order.ts';
import { ledgerEntryKey } from '../table/keys.ts';
import type { Item, Write } from '../table/table.ts';
import { emptyEntry, type LedgerEntry, ledgerEntry } from './ledger.ts';
import { noticesOf, putNotices } from './notices.ts';
import { availableStars, emptyWallet, heldStars, type Wallet } from './wallet.ts';

// DynamoDB charges a write by whole kilobytes, so an entry has to stay below 1,024 bytes: what is empty
// is not stored, and nothing is stored twice.

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === 0 ||
  (Array.isArray(value) && value.length === 0);

const withoutEmpty = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Partial<T>;

/** What of the wallet after an entry its balance needs, and the entry does not say. */
interface StoredWallet {
  /** Of each pack: its expiry, its stars, and how many of them are held. */
  packs?: [expires_at: number, stars: number, held: number][];
  held?: [monthly: number, pack: number] | undefined;
  grant?: number;
  next_grant?: number | undefined;
  tier?: string | undefined;
  status?: string | undefined;
  period_end?: number | undefined;
}

const toStoredWallet = (wallet: Wallet): StoredWallet => {
  const { packs, held, monthly_grant_stars, next_grant_stars, subscription } = wallet;
  return {
    ...withoutEmpty<StoredWallet>({
      packs: packs.map((one) => [one.expires_at, one.stars, one.held]),
      held: heldStars(wallet) > 0 ? [held.monthly, held.pack] : undefined,
      grant: monthly_grant_stars,
      tier: subscription?.tier,
      status: subscription?.status,
      period_end: subscription?.current_period_end,
    }),
    // None to come is another than 0.
    next_grant: next_grant_stars,
  };
};

interface EntryInput {
  entry: LedgerEntry;
  /** The wallet after it, from which the balance at any moment until the next entry follows. */
  wallet: Wallet;
  /** The thresholds that the available stars fell to by it, 0 for the last star. */
  crossedThresholds: readonly number[];
}

/** Writes an entry, and the notices of the thresholds that it crossed. */
export const putLedgerEntry = (
  organizationId: string,
  { entry, wallet, crossedThresholds }: EntryInput,
): Write<'PutItem'>[] => {
  const notices = noticesOf(crossedThresholds, availableStars(wallet));
  const Item = {
    ...ledgerEntryKey(organizationId, entry.version),
    ...withoutEmpty({ ...entry, notices: notices.length }),
    wallet: toStoredWallet(wallet),
    // It has the time of the expiry, which may be long ago.
    ...(entry.type === 'hold.expired' && { written_at: new Date().toISOString() }),
  };
  return [
    { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ...putNotices(organizationId, entry, notices),
  ];
};

/** Its attributes are in the order of the schema: the table keeps no order. */
export const toLedgerEntry = (item: Item): LedgerEntry =>
  orderFields(ledgerEntry, { ...emptyEntry, ...item });

/** The wallet after a stored entry, as far as its balance needs it. */
export const walletAfter = (item: Item): Wallet => {
  const { version, at, monthly_after, pack_after } = toLedgerEntry(item);
  const { packs, held, grant, next_grant, tier, status, period_end } = item.wallet as StoredWallet;
  return {
    ...emptyWallet,
    version,
    at: Date.parse(at),
    monthly_stars: monthly_after,
    pack_stars: pack_after,
    packs: (packs ?? []).map(([expires_at, stars, held]) => ({ expires_at, stars, held })),
    held: { monthly: held?.[0] ?? 0, pack: held?.[1] ?? 0 },
    monthly_grant_stars: grant ?? 0,
    next_grant_stars: next_grant,
    subscription:
      tier === undefined
        ? undefined
        : { tier, status: String(status), current_period_end: period_end ?? 0 },
  };
};
