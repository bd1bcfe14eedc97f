import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { apply, type RuleResult } from '../../../../lib/billing/rules/rules.ts';
import { ledgerEntry } from '../../../../lib/billing/stored/ledger-entry.ts';
import type { Lot } from '../../../../lib/billing/stored/lots.ts';
import { ledgerEntryKind, toLedgerEntry } from '../../../../lib/billing/stored/stored-entry.ts';
import {
  emptySubscription,
  emptyWallet,
  type Wallet,
} from '../../../../lib/billing/stored/wallet.ts';
import { feedIdOf } from '../../../../lib/changes/feed.ts';
import { ledgerEntryItem } from '../../../support/billing-items.ts';

// DynamoDB charges each write of an entry by its size: beyond 1 KB, twice.

const organizationId = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const now = Date.parse('2026-11-21T00:00:00.123Z');
const day = 24 * 60 * 60 * 1000;

const marshalled = (item: object = {}) => marshall(item, { removeUndefinedValues: true });

/** The bytes of a value, as DynamoDB counts them. */
const bytesOf = (value: object): number => {
  const [[type, inner]] = Object.entries(value) as [[string, never]];
  if (type === 'S') return Buffer.byteLength(inner);
  if (type === 'N') return 2 + Math.ceil(String(inner).replace(/^-/, '').length / 2);
  if (type === 'L')
    return 3 + Object.values<object>(inner).reduce((n, one) => n + 1 + bytesOf(one), 0);
  return type === 'M' ? 3 + bytesOfAll(inner) + Object.keys(inner).length : 1;
};
const bytesOfAll = (item: Record<string, object>): number =>
  Object.entries(item).reduce(
    (n, [name, value]) => n + Buffer.byteLength(name) + bytesOf(value),
    0,
  );

/** A wallet with all that an entry says of one, and so many packs that expire. */
const fullWallet = (packs: number): Wallet => ({
  ...emptyWallet,
  version: 1_234_567,
  monthly_stars: 1234,
  pack_stars: 98_765,
  months: 2,
  month: { from: now - 29 * day, until: now + day, whole_from: now - 29 * day },
  held_of_earlier_months: 6,
  monthly_grant_stars: 2000,
  monthly_lapse_at: now + day,
  next_grant: { at: now + day, stars: 3000 },
  packs: Array.from({ length: packs }, (_, i) => ({
    expires_at: now + (i + 1) * day,
    stars: 1234,
    held: 12,
  })),
  held: { monthly: 10, pack: 12 * packs },
  used: { spent_stars: 1_234_567, refunded_stars: 12_345 },
  subscription: {
    ...emptySubscription,
    tier: 'professional',
    current_period_end: now + day,
  },
});

const itemOf = ({ entry, wallet, notices }: RuleResult) =>
  ledgerEntryItem(organizationId, entry, wallet, notices.length);

const uuid = '3f2b8f7e-5d5c-4a63-9b6a-2f4f6f8a9c1d';

/** The bytes of an entry that a request made, once it has its number in the feed. */
const bytesOnceNumbered = (step: RuleResult): number => {
  const entry = { ...step.entry, user_id: uuid, request_id: uuid };
  const numbered = {
    ...itemOf({ ...step, entry }),
    feed: feedIdOf(organizationId, 'table'),
    sequence: 12_345_678,
    numbered_at: now,
  };
  return bytesOfAll(marshalled(numbered) as never);
};

/** The bytes of a captured hold's entry, of which some stars lapse. */
const numberedBytes = (packs: number, reasonLength: number): number => {
  const [reason, feature, spender] = ['x'.repeat(reasonLength), 'f'.repeat(64), 's'.repeat(64)];
  const lots = [
    { compartment: 'monthly', month: 2, expires_at: now + day, stars: 4 },
    { compartment: 'monthly', month: 1, expires_at: now - day, stars: 6 },
  ] satisfies Lot[];
  const hold = { expires_at: now + day, lots, reason, feature, spender };
  const event_id = uuid;
  const cause = { type: 'hold.captured', event_id, stars: 4 } as const;
  return bytesOnceNumbered(apply(fullWallet(packs), cause, now, { hold }) as RuleResult);
};

test('a usual spend is below 1 KB once it is numbered, with who made it and by which request', () => {
  const purpose = { reason: 'r'.repeat(40), feature: 'search', spender: 's'.repeat(20) };
  const ids = { organization_id: organizationId, event_id: uuid };
  const cause = { type: 'stars.spent', ...ids, stars: 12, ...purpose } as const;
  const bytes = bytesOnceNumbered(apply(fullWallet(3), cause, now) as RuleResult);
  process.stdout.write(`usual ledger entry: ${bytes} bytes\n`);
  expect(bytes).toBeLessThan(1024);
});

test('a numbered entry is below 1 KB with nine packs, the longest feature and spender, and 100 characters of reason', () => {
  expect(numberedBytes(9, 100)).toBeLessThan(1024);
  expect(numberedBytes(5, 200)).toBeLessThan(1024);
  expect(numberedBytes(10, 200)).toBeGreaterThan(1024);
});

const stored = (step: RuleResult) => ledgerEntryKind.parse(unmarshall(marshalled(itemOf(step))));
const spendIn = (wallet: Wallet) =>
  apply(wallet, { ...spent, type: 'stars.spent', stars: 3 }, now) as RuleResult;
const spent = { event_id: 'one', organization_id: organizationId };
test('a stored entry has each field that is told, and when it was written only if that is not its time', () => {
  const hold = { expires_at: now, lots: [] };
  const expired = apply(fullWallet(0), { type: 'hold.expired', event_id: 'h' }, now, { hold });
  expect(itemOf(expired as RuleResult)).toHaveProperty('written_at');
  const spending = spendIn(fullWallet(3));
  expect(marshalled(itemOf(spending))).not.toHaveProperty('written_at');
  expect(toLedgerEntry(stored(spending))).toEqual(spending.entry);
  expect(Object.keys(toLedgerEntry(stored(spending)))).toEqual(Object.keys(ledgerEntry.shape));
});
