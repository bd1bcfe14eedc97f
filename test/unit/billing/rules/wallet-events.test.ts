import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { walletEvent, walletEventTypes } from '../../../../lib/billing/rules/wallet-events.ts';
import { iso, organization_id } from './wallets.ts';

const end = '2026-12-01T00:00:00Z';
const million = 1_000_000_000_000;

const ofSubscription = { subscription_id: 'sub_1', occurred_at: end };
const tier = 'pro';
const reason = 'r';
const monthly_grant_stars = 1;
const line = { from: '2026-11-01T00:00:00Z', until: end, monthly_grant_stars, tier };
const payment = { payment: 'pi_1', amount: 5 };
const ofReversal = { source: 're_1', amount: 0, claw_back: true, occurred_at: end };

/** Of each type, an event with all of its fields, and those of them that may be left out. */
const full: Record<(typeof walletEventTypes)[number], [fields: object, optional: string[]]> = {
  'subscription.paid': [
    { lines: [line], grace_minutes: 120, ...payment, ...ofSubscription },
    ['grace_minutes', 'payment', 'amount', 'subscription_id', 'occurred_at'],
  ],
  'subscription.changed': [
    { status: 'past_due', ...ofSubscription },
    ['subscription_id', 'occurred_at'],
  ],
  'subscription.reversed': [
    { paid: 'p', ...ofReversal },
    ['source', 'amount', 'claw_back', 'occurred_at'],
  ],
  'subscription.canceled': [ofSubscription, ['subscription_id', 'occurred_at']],
  'pack.purchased': [
    { stars: 1, expires_at: end, ...payment },
    ['expires_at', 'payment', 'amount'],
  ],
  'pack.reversed': [
    { purchase: 'p', ...ofReversal },
    ['source', 'amount', 'claw_back', 'occurred_at'],
  ],
  'stars.spent': [{ stars: 1, reason }, ['reason']],
  'stars.refunded': [{ stars: 1, refunds: 's', reason }, ['reason']],
  'stars.adjusted': [
    { monthly_change: 1, pack_change: 1, owed_change: -1, reason },
    ['monthly_change', 'pack_change', 'owed_change'],
  ],
};

const parse = (type: string, fields: object) =>
  z.safeParse(walletEvent, { type, event_id: 'e', organization_id, ...fields });
const parsed = (type: keyof typeof full, change: object = {}) =>
  parse(type, { ...full[type][0], ...change });
const wrong = (result: ReturnType<typeof parse>) =>
  result.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];

test('every type is in the list of types', () => {
  expect([...walletEventTypes].sort()).toEqual(Object.keys(full).sort());
  expect(parse('pack.stolen', { stars: 1 }).success).toBe(false);
});

test.each(walletEventTypes)(
  '%s takes its fields and no other, and needs what is not optional',
  (type) => {
    const [fields, optional] = full[type];
    const all = { type, event_id: 'e', organization_id, ...fields };
    const { data } = parsed(type);
    expect(data).toMatchObject({ type, event_id: 'e', organization_id });
    const upper = { organization_id: organization_id.toUpperCase() };
    expect(parsed(type, upper).data).toEqual(data);
    expect(Object.keys(data ?? {}).sort()).toEqual(Object.keys(all).sort());
    expect(parsed(type, { color: 'red' }).success).toBe(false);
    expect(parsed(type, { organization_id: 'x' }).success).toBe(false);
    const isOptional = (field: string) => parsed(type, { [field]: undefined }).success;
    expect(Object.keys(all).filter(isOptional).sort()).toEqual(optional.sort());
  },
);

test('what is left out is as the docs say, and an adjustment by nothing is none', () => {
  const adjusted = (fields: object) => parse('stars.adjusted', { reason, ...fields }).data;
  expect(adjusted({ pack_change: 5 })).toMatchObject({ monthly_change: 0, pack_change: 5 });
  expect(adjusted({ monthly_change: 5 })).toMatchObject({ monthly_change: 5, pack_change: 0 });
  for (const none of [{}, { monthly_change: 0 }, { pack_change: 0 }]) {
    const message = 'pack_change or monthly_change or owed_change must be other than 0';
    expect(wrong(parse('stars.adjusted', { reason, ...none }))).toEqual([message]);
  }
});

test.each([
  ['stars.refunded', 'refunds'],
  ['pack.reversed', 'purchase'],
  ['subscription.reversed', 'paid'],
] as const)('%s names another event by its %s', (type, target) => {
  expect(parsed(type, { [target]: 'x' }).success).toBe(true);
  expect(wrong(parsed(type, { [target]: 'e' }))).toEqual([
    `${target} must be another event than this one`,
  ]);
});

test('what was paid is told by lines, or by a plan and the end of its period', () => {
  const paid = (fields: object) => wrong(parse('subscription.paid', fields));
  const ofPeriod = { tier, period_end: end };
  const all = { ...ofPeriod, period_start: line.from, quantity: 3, grace_minutes: 0 };
  for (const good of [{ lines: [line] }, ofPeriod, all]) expect(paid(good)).toEqual([]);
  const message = 'lines must be told, or else tier and period_end';
  const bad = [{}, { tier }, { period_end: end }, { lines: [line], quantity: 1 }];
  for (const one of [...bad, { lines: [line], ...ofPeriod }]) expect(paid(one)).toEqual([message]);
});

test('what a purchase’s source reverses is told in stars or in money', () => {
  expect(parsed('pack.reversed', { amount: undefined, stars: 0 }).success).toBe(true);
  expect(wrong(parsed('pack.reversed', { stars: 0 }))).toEqual([
    'amount must not be told beside stars',
  ]);
});

describe('a line', () => {
  const day = (n: number) => iso(Date.parse(line.from) + n * 86_400_000);
  const ofLine = (change: object) =>
    wrong(parse('subscription.paid', { lines: [{ ...line, ...change }] }));

  test.each<[string, object]>([
    ['of a proration', { proration: true }],
    ['of a part', { proration: true, part: true }],
    ['of a trial', { trial: true }],
    ['of a trial without stars', { trial: true, monthly_grant_stars: 0 }],
    ['that was credited, of no tier', { monthly_grant_stars: -1, tier: undefined }],
    ['of most stars', { monthly_grant_stars: million }],
    ['with most stars credited', { monthly_grant_stars: -million }],
    ['of ten years', { until: day(3653) }],
    ['of a millisecond', { until: iso(Date.parse(line.from) + 1) }],
  ])('%s is taken', (_, change) => {
    expect(ofLine(change)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['that ends as it begins', { until: line.from }, 'until must be after from'],
    ['of more than ten years', { until: day(3654) }, 'until must be at most 3653 days after from'],
    ['above 0 without a tier', { tier: undefined }, 'tier is required above 0 stars'],
    ['of a trial that is a proration', { trial: true, proration: true }, 'trial must not be'],
    ['of a trial that was credited', { trial: true, monthly_grant_stars: -1 }, 'trial must not be'],
    ['of too many stars', { monthly_grant_stars: million + 1 }, 'monthly_grant_stars'],
    ['with an unknown field', { color: 'red' }, ''],
  ])('%s is refused', (_, change, message) => {
    const [only, ...others] = ofLine(change);
    expect(only).toContain(message && `lines.0.${message}`);
    expect(others).toEqual([]);
  });

  test('is one of 1 to 50 of an event', () => {
    const lines = (count: number) => Array.from({ length: count }, () => line);
    const taken = [0, 1, 50, 51].filter((count) => {
      return parse('subscription.paid', { lines: lines(count) }).success;
    });
    expect(taken).toEqual([1, 50]);
  });
});

test.each([
  ['quantity', 1, 1_000_000],
  ['grace_minutes', 0, 10_080],
])('%s is a whole number from %i to %i', (field, least, most) => {
  const numbers = [least - 1, least, most, most + 1, least + 0.5];
  const isTaken = (number: number) =>
    parse('subscription.paid', { tier, period_end: end, [field]: number }).success;
  expect(numbers.filter(isTaken)).toEqual([least, most]);
});

test('a refund names no compartment', () => {
  expect(parsed('stars.refunded', { compartment: 'pack' }).success).toBe(false);
});

test.each([
  [end, Date.parse(end)],
  ['2026-12-01T01:00:00.001+01:00', Date.parse(end) + 1],
  ['2026-12-01T00:00:00', undefined],
  ['2026-12-01', undefined],
])('the moment %s is %s', (expires_at, at) => {
  const { data } = parse('pack.purchased', { stars: 1, expires_at });
  expect(data && 'expires_at' in data ? data.expires_at : undefined).toBe(at);
});

test.each<[string, (time: string) => ReturnType<typeof parse>]>([
  ['period_end', (time) => parse('subscription.paid', { tier, period_end: time })],
  ['expires_at', (time) => parse('pack.purchased', { stars: 1, expires_at: time })],
])('the %s is in a year that has four digits in UTC', (field, parsedAt) => {
  const message = `${field} must be in the years 0000 to 9999 in UTC`;
  for (const time of ['9999-12-31T23:59:59-05:00', '0000-01-01T00:00:00+01:00']) {
    expect(wrong(parsedAt(time))).toEqual([message]);
  }
  expect(parsedAt('9999-12-31T23:59:59Z').success).toBe(true);
});

const isTaken = (type: keyof typeof full, field: string) => (text: unknown) =>
  parsed(type, { [field]: text }).success;

test('an event_id has 1 to 128 of some characters, and is not a path’s . or ..', () => {
  const good = ['A-Za.0_9:', 'x'.repeat(128), '...', '.a'];
  const bad = ['x'.repeat(129), '', 'a b', 'a#b', '#a', 'é', '.', '..'];
  expect([...good, ...bad].filter(isTaken('pack.purchased', 'event_id'))).toEqual(good);
  expect(wrong(parsed('pack.purchased', { event_id: '' }))).toEqual([
    'event_id must be 1 to 128 of A-Z a-z 0-9 . _ : -, and not . or ..',
  ]);
});

test.each(['feature', 'spender'])('a %s has 1 to 64 of the characters of ids', (field) => {
  const good = ['a', 'A-Za.0_9:', 'x'.repeat(64), '..'];
  const bad = ['', 'x'.repeat(65), 'a b', 'é', 'a#b', null];
  expect([...good, ...bad].filter(isTaken('stars.spent', field))).toEqual(good);
  expect(isTaken('stars.refunded', field)('a')).toBe(false);
});

test.each([
  ['stars.spent', 'reason', 200],
  ['stars.adjusted', 'reason', 200],
  ['subscription.changed', 'status', 50],
] as const)('%s: the %s has at most %i characters', (type, field, most) => {
  const texts = ['x'.repeat(most), 'x'.repeat(most + 1), ' '];
  expect(texts.map(isTaken(type, field))).toEqual([true, false, false]);
});

// From 1 where they are given or taken, and either way where they are changed.
test.each([
  ['pack.purchased', 'stars', 1],
  ['stars.spent', 'stars', 1],
  ['stars.refunded', 'stars', 1],
  ['stars.adjusted', 'monthly_change', -million],
  ['stars.adjusted', 'pack_change', -million],
] as const)('%s: the %s are a whole number from %i to a million millions', (type, field, least) => {
  const isTaken = (stars: unknown) => parsed(type, { [field]: stars }).success;
  expect([least, least + 1, million].map(isTaken)).toEqual([true, true, true]);
  const refused = [least - 1, million + 1, 0.5, '1', null, Number.NaN, Number.POSITIVE_INFINITY];
  expect(refused.filter(isTaken)).toEqual([]);
});
