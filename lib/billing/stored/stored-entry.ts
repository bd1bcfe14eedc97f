import * as z from 'zod/mini';
import { type Fact, FactKind } from '../../facts/fact.ts';
import { numberAttributes, places } from '../../table/keys.ts';
import type { ItemOf } from '../../table/kind.ts';
import { emptyEntry, type LedgerEntry, ledgerEntry, starsOf } from './ledger-entry.ts';
import { emptySubscription, emptyWallet, type Wallet } from './wallet.ts';
import { behindLedger, refuseStored } from './wallet-invariant.ts';

// DynamoDB charges a write by whole kilobytes, so an entry has to stay below 1,024 bytes: what is empty
// is not stored, and nothing is stored twice.

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === 0 ||
  value === '' ||
  (Array.isArray(value) && value.every(isEmpty));

const withoutEmpty = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));

const stars = () => z._default(z.number(), 0);

/** The part of the wallet after an entry that the balance needs, and that the entry does not say. */
const storedWallet = z.object({
  /** Each pack's expiry, its stars, and how many of them are held. */
  packs: z._default(z.array(z.tuple([z.number(), z.number(), z.number()])), []),
  /** Monthly stars and those of packs. */
  held: z._default(z.tuple([z.number(), z.number()]), [0, 0]),
  /** What was spent and refunded in all. */
  use: z._default(z.tuple([z.number(), z.number()]), [0, 0]),
  grant: stars(),
  lapse: z.optional(z.number()),
  /** When the next month begins, and its stars. */
  next: z.optional(z.tuple([z.number(), z.number()])),
  tier: z.optional(z.string()),
  status: z._default(z.string(), ''),
  /** The end of the last period that was paid. */
  end: stars(),
});

type StoredWallet = z.output<typeof storedWallet>;

const toStoredWallet = (wallet: Wallet): StoredWallet => {
  const { packs, held, used, monthly_grant_stars, monthly_lapse_at, next_grant, subscription } =
    wallet;
  return {
    packs: packs.map((one) => [one.expires_at, one.stars, one.held]),
    held: [held.monthly, held.pack],
    use: [used.spent_stars, used.refunded_stars],
    grant: monthly_grant_stars,
    lapse: monthly_lapse_at,
    next: next_grant && [next_grant.at, next_grant.stars],
    tier: subscription?.tier,
    status: subscription?.status ?? '',
    end: subscription?.current_period_end ?? 0,
  };
};

const stored = z.object({
  ...numberAttributes,
  ...ledgerEntry.shape,
  notices: stars(),
  wallet: storedWallet,
});

export const ledgerEntryKind = new FactKind(places.ledgerEntry, {
  thing: places.wallet,
  refused: behindLedger,
  holds: 'the wallet’s ledger entries, the oldest first',
  attributes: z.pipe(
    z.transform((item: object) => ({ ...emptyEntry, ...item })),
    stored,
  ),
  // How many stars the cause gave follows from the changes.
  store: ({ wallet, stars: _, ...entry }) => ({
    ...withoutEmpty(entry),
    wallet: withoutEmpty(wallet),
  }),
  refuse: refuseStored,
});
type StoredEntry = ItemOf<typeof ledgerEntryKind>;

export const toLedgerEntry = (item: StoredEntry): LedgerEntry => {
  const { pk, sk, feed, sequence, numbered_at, late, notices, wallet, ...entry } = item;
  const { monthly_change, pack_change, owed_change } = entry;
  return { ...entry, stars: starsOf({ monthly_change, pack_change, owed_change }) };
};

/** What the clock does is written down later, at its own time. */
export const clockTypes = [
  // The next month begins: what is free of the last month lapses, and its stars come.
  'stars.granted',
  // Stars lapse: those of a pack, or of a month after which none begins.
  'stars.lapsed',
  'hold.expired',
] as const;
export type ClockType = (typeof clockTypes)[number];
const byClock: ReadonlySet<string> = new Set(clockTypes);

/** The fact of a new entry. `wallet` is the wallet after it: from it follows the balance until the next entry. */
export const entryFact = (
  organizationId: string,
  entry: LedgerEntry,
  wallet: Wallet,
  notices: number,
): Fact =>
  ledgerEntryKind.fact(
    { organizationId },
    {
      ...entry,
      notices,
      wallet: toStoredWallet(wallet),
      written_at: byClock.has(entry.type) ? new Date().toISOString() : null,
    },
    { by: entry.user_id, requestId: entry.request_id },
  );

/** The wallet after a stored entry, as far as its balance needs it. */
export const walletAfter = ({
  version,
  at,
  monthly_after,
  pack_after,
  owed_after,
  wallet,
}: StoredEntry): Wallet => {
  const { packs, held, use, grant, lapse, next, tier, status, end } = wallet;
  return {
    ...emptyWallet,
    version,
    at: Date.parse(at),
    monthly_stars: monthly_after,
    pack_stars: pack_after,
    packs: packs.map(([expires_at, stars, held]) => ({ expires_at, stars, held })),
    held: { monthly: held[0], pack: held[1] },
    owed_stars: owed_after,
    used: { spent_stars: use[0], refunded_stars: use[1] },
    monthly_grant_stars: grant,
    monthly_lapse_at: lapse,
    next_grant: next && { at: next[0], stars: next[1] },
    ...(tier !== undefined && {
      subscription: { ...emptySubscription, tier, status, current_period_end: end },
    }),
  };
};
