import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { putLedgerEntry } from '../../../lib/billing/ledger.ts';
import { apply, type WalletStep } from '../../../lib/billing/rules/rules.ts';
import { emptyWallet, type Wallet } from '../../../lib/billing/wallet.ts';
import { feedIdOf } from '../../../lib/changes/feed.ts';

// DynamoDB charges each write of an entry by its size: beyond 1 KB, twice.

const organizationId = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const now = Date.parse('2026-11-21T00:00:00.123Z');
const day = 24 * 60 * 60 * 1000;

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

/** A wallet of which billing has told all that it can, with so many packs that expire. */
const fullWallet = (packs: number): Wallet => ({
  ...emptyWallet,
  version: 1_234_567,
  opened_at: now - 300 * day,
  at: now - 1000,
  monthly_stars: 1234,
  pack_stars: 98_765,
  monthly_grant_stars: 2000,
  next_grant_stars: 3000,
  packs: Array.from({ length: packs }, (_, i) => ({
    expires_at: now + (i + 1) * day,
    stars: 1234,
    held: 12,
  })),
  held: { monthly: 10, pack: 12 * packs },
  open_holds: 7,
  next_hold_expiry: now + day,
  thresholds: [1000, 100],
  thresholds_version: 2,
  former_subscriptions: ['sub_1PqRstUvWxYz0123456789ab'],
  subscription: {
    id: 'sub_1QqRstUvWxYz0123456789ab',
    tier: 'professional',
    status: 'active',
    current_period_end: now + day,
    started_at: now - 30 * day,
    occurred_at: now - 20 * day,
    status_at: now - 20 * day,
    tier_at: now - 20 * day,
    grant_at: now - 20 * day,
  },
});

/** The bytes of an entry by which a hold was captured, once it has its number in the feed. */
const numberedBytes = (packs: number, reason: string): number => {
  const lots = [{ compartment: 'monthly', expires_at: now + day, stars: 10 }] as const;
  const hold = { expires_at: now + day, lots, reason };
  const event_id = '3f2b8f7e-5d5c-4a63-9b6a-2f4f6f8a9c1d';
  const step = apply(fullWallet(packs), { type: 'hold.captured', event_id }, now, { hold });
  const item = putLedgerEntry(organizationId, step as WalletStep)[0]!.Put.Item;
  const numbered = { ...item, feed: feedIdOf(organizationId, 'table'), sequence: 12_345_678 };
  return bytesOfAll(marshall(numbered, { removeUndefinedValues: true }) as never);
};

test('a numbered entry of a full wallet with two packs and a reason is below 1 KB', () => {
  expect(numberedBytes(2, 'x'.repeat(120))).toBeLessThan(1024);
  expect(numberedBytes(2, 'x'.repeat(160))).toBeGreaterThan(1024);
});
