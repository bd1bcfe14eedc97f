import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { balance, toBalance } from '../../../lib/billing/balance.ts';
import { ledgerEntry } from '../../../lib/billing/ledger.ts';
import { toWallet, walletItem } from '../../../lib/billing/wallet.ts';
import { walletEvent, walletEventTypes } from '../../../lib/billing/wallet-events.ts';
import { applyCause, event, now, organization_id, wallet } from './rules/wallets.ts';

const end = '2026-12-01T00:00:00Z';
const million = 1_000_000_000_000;

const ofSubscription = { subscription_id: 'sub_1', occurred_at: end };

/** Of each type, an event with all of its fields. */
const full: Record<(typeof walletEventTypes)[number], object> = {
  'subscription.started': {
    tier: 'pro',
    current_period_end: end,
    monthly_grant_stars: 1,
    status: 'trialing',
    ...ofSubscription,
  },
  'subscription.renewed': { current_period_end: end, monthly_grant_stars: 1, ...ofSubscription },
  'subscription.changed': { tier: 'pro', monthly_grant_stars: 1, ...ofSubscription },
  'subscription.canceled': ofSubscription,
  'pack.purchased': { stars: 1, expires_at: end },
  'stars.spent': { stars: 1, reason: 'r' },
  'stars.refunded': { stars: 1, refunds: 's', reason: 'r' },
  'stars.adjusted': { monthly_change: 1, pack_change: 1, reason: 'r' },
};
const optional = [
  'monthly_grant_stars',
  'status',
  'subscription_id',
  'occurred_at',
  'expires_at',
  'monthly_change',
  'pack_change',
  'spent reason',
  'refunded reason',
];

const parse = (type: string, fields: object) =>
  z.safeParse(walletEvent, { type, event_id: 'e', organization_id, ...fields });
const parsed = (type: keyof typeof full, change: object = {}) =>
  parse(type, { ...full[type], ...change });
const wrong = (result: ReturnType<typeof parse>) =>
  result.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];

test('every type is in the list of types', () => {
  expect([...walletEventTypes].sort()).toEqual(Object.keys(full).sort());
  expect(parse('pack.stolen', { stars: 1 }).success).toBe(false);
});

describe.each(walletEventTypes)('%s', (type) => {
  test('takes its fields, and no other', () => {
    const { data } = parsed(type);
    expect(data).toMatchObject({ type, event_id: 'e', organization_id });
    expect(Object.keys(data ?? {}).sort()).toEqual(
      ['type', 'event_id', 'organization_id', ...Object.keys(full[type])].sort(),
    );
    expect(parsed(type, { color: 'red' }).success).toBe(false);
    expect(parsed(type, { event_id: undefined }).success).toBe(false);
    expect(parsed(type, { organization_id: 'x' }).success).toBe(false);
  });

  test.each(Object.keys(full[type]))('%s may be left out where the docs say so', (field) => {
    const of = type.replace('stars.', '');
    const may = optional.includes(field) || optional.includes(`${of} ${field}`);
    expect(parsed(type, { [field]: undefined }).success).toBe(may);
  });
});

test('what is left out is as the docs say', () => {
  const { status: _, ...started } = full['subscription.started'] as { status: string };
  expect(parse('subscription.started', started).data).toMatchObject({ status: 'active' });
  const adjusted = (fields: object) => parse('stars.adjusted', { reason: 'r', ...fields }).data;
  expect(adjusted({ pack_change: 5 })).toMatchObject({ monthly_change: 0, pack_change: 5 });
  expect(adjusted({ monthly_change: 5 })).toMatchObject({ monthly_change: 5, pack_change: 0 });
});

test('an adjustment changes something', () => {
  for (const fields of [{}, { monthly_change: 0 }, { pack_change: 0 }]) {
    expect(wrong(parse('stars.adjusted', { reason: 'r', ...fields }))).toEqual([
      'pack_change or monthly_change must be other than 0',
    ]);
  }
});

test('a refund names another event, and no compartment', () => {
  expect(parsed('stars.refunded', { refunds: 'x' }).success).toBe(true);
  expect(wrong(parsed('stars.refunded', { refunds: 'e' }))).toEqual([
    'refunds must be another event than the refund',
  ]);
  expect(parsed('stars.refunded', { compartment: 'pack' }).success).toBe(false);
});

test('an organization is the same in any case of letters', () => {
  const { data } = parsed('pack.purchased', { organization_id: organization_id.toUpperCase() });
  expect(data).toMatchObject({ organization_id });
});

test.each([
  [end, Date.parse(end)],
  ['2026-12-01T01:00:00.001+01:00', Date.parse(end) + 1],
  ['2026-12-01T00:00:00', undefined],
  ['2026-12-01', undefined],
  ['soon', undefined],
])('the moment %s is %s', (current_period_end, at) => {
  const { data } = parse('subscription.renewed', { current_period_end });
  expect(data && 'current_period_end' in data ? data.current_period_end : undefined).toBe(at);
});

test('stars lapse in a year that has four digits in UTC, as they are told', () => {
  const message = 'must be in the years 0000 to 9999 in UTC';
  for (const [type, field] of [
    ['subscription.started', 'current_period_end'],
    ['subscription.renewed', 'current_period_end'],
    ['pack.purchased', 'expires_at'],
  ] as const) {
    for (const time of ['9999-12-31T23:59:59-05:00', '0000-01-01T00:00:00+01:00']) {
      expect(wrong(parsed(type, { [field]: time }))).toEqual([`${field} ${message}`]);
    }
    expect(parsed(type, { [field]: '9999-12-31T23:59:59Z' }).success).toBe(true);
  }
});

test.each([
  ['A-Za.0_9:', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['a b', false],
  ['a#b', false],
  ['#a', false],
  ['é', false],
  ['.', false],
  ['..', false],
  ['...', true],
  ['.a', true],
])('the event_id %s is taken: %s', (event_id, isTaken) => {
  const result = parsed('pack.purchased', { event_id });
  expect(result.success).toBe(isTaken);
  if (isTaken) return;
  expect(wrong(result)).toEqual([
    'event_id must be 1 to 128 of A-Z a-z 0-9 . _ : -, and not . or ..',
  ]);
});

// From 1 where they are given or taken, from 0 where they are granted, and either way where they are changed.
test.each([
  ['pack.purchased', 'stars', 1],
  ['stars.spent', 'stars', 1],
  ['stars.refunded', 'stars', 1],
  ['subscription.changed', 'monthly_grant_stars', 0],
  ['stars.adjusted', 'monthly_change', -million],
  ['stars.adjusted', 'pack_change', -million],
] as const)('%s: the %s are a whole number from %i to a million millions', (type, field, least) => {
  const isTaken = (stars: unknown) => parsed(type, { [field]: stars }).success;
  expect([least, least + 1, million].map(isTaken)).toEqual([true, true, true]);
  const refused = [least - 1, million + 1, 0.5, '1', null, Number.NaN, Number.POSITIVE_INFINITY];
  expect(refused.filter(isTaken)).toEqual([]);
});

test.each([
  ['stars.spent', 'reason', 200],
  ['stars.adjusted', 'reason', 200],
  ['subscription.changed', 'tier', 50],
  ['subscription.started', 'tier', 50],
  ['subscription.started', 'status', 50],
] as const)('%s: the %s has at most %i characters', (type, field, most) => {
  expect(parsed(type, { [field]: 'x'.repeat(most) }).success).toBe(true);
  expect(parsed(type, { [field]: 'x'.repeat(most + 1) }).success).toBe(false);
  expect(parsed(type, { [field]: ' ' }).success).toBe(false);
});

test.each(['feature', 'spender'])('a %s has 1 to 64 of some characters', (field) => {
  for (const name of ['a', 'A-Za.0_9:', 'x'.repeat(64), '..']) {
    expect(parsed('stars.spent', { [field]: name }).success).toBe(true);
  }
  for (const name of ['', 'x'.repeat(65), 'a b', 'é', 'a#b', null]) {
    expect(parsed('stars.spent', { [field]: name }).success).toBe(false);
  }
  expect(parsed('stars.refunded', { [field]: 'a' }).success).toBe(false);
});

test('a stored wallet is read as it was written', () => {
  const item = walletItem(organization_id, wallet());
  expect(item).toMatchObject({ pk: `ORG#${organization_id}`, sk: 'WALLET', ...wallet() });
  expect(toWallet(item)).toEqual(wallet());
});

describe('what is answered', () => {
  const whole = toBalance(wallet(), now);
  const isBalance = (change: object) => z.safeParse(balance, { ...whole, ...change }).success;

  test.each<[string, z.ZodMiniType, object]>([
    ['a balance', balance, whole],
    [
      'a ledger entry',
      ledgerEntry,
      applyCause(wallet(), event({ type: 'stars.spent', stars: 1 })).entry,
    ],
  ])('%s has all of its fields and no other', (_what, schema, one) => {
    const isTaken = (change: object) => z.safeParse(schema, { ...one, ...change }).success;
    expect([isTaken({}), isTaken({ x: 1 })]).toEqual([true, false]);
    for (const field of Object.keys(one)) {
      expect([field, isTaken({ [field]: undefined })]).toEqual([field, false]);
      expect([field, isTaken({ [field]: { x: 1 } })]).toEqual([field, false]);
    }
  });

  test('a balance has whole numbers from 0, and a whole subscription or none', () => {
    expect(isBalance({ subscription: null, total_stars: 0 })).toBe(true);
    for (const change of [{ total_stars: -1 }, { total_stars: 0.5 }, { as_of: 'now' }]) {
      expect(isBalance(change)).toBe(false);
    }
    for (const change of [{ x: 1 }, { tier: undefined }, { current_period_end: 'soon' }]) {
      expect(isBalance({ subscription: { ...whole.subscription, ...change } })).toBe(false);
    }
  });
});
