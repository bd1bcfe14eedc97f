import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { walletEvent, walletEventTypes } from '../../../../lib/billing/rules/wallet-events.ts';
import { organization_id } from './wallets.ts';

const end = '2026-12-01T00:00:00Z';
const million = 1_000_000_000_000;

const ofSubscription = { subscription_id: 'sub_1', occurred_at: end };
const tier = 'pro';
const reason = 'r';
const monthly_grant_stars = 1;
const ofPeriod = { current_period_end: end, monthly_grant_stars, ...ofSubscription };

/** Of each type, an event with all of its fields, and those of them that may be left out. */
const full: Record<(typeof walletEventTypes)[number], [fields: object, optional: string[]]> = {
  'subscription.started': [
    { tier, status: 'trialing', ...ofPeriod },
    ['status', 'monthly_grant_stars', 'subscription_id', 'occurred_at'],
  ],
  'subscription.renewed': [ofPeriod, ['monthly_grant_stars', 'subscription_id', 'occurred_at']],
  'subscription.changed': [
    { tier, monthly_grant_stars, status: 'past_due', ...ofSubscription },
    ['monthly_grant_stars', 'status', 'subscription_id', 'occurred_at'],
  ],
  'subscription.canceled': [ofSubscription, ['subscription_id', 'occurred_at']],
  'pack.purchased': [
    { stars: 1, expires_at: end, payment: 'pi_1', amount: 5 },
    ['expires_at', 'payment', 'amount'],
  ],
  'pack.reversed': [
    { purchase: 'p', source: 're_1', stars: 0, claw_back: true, occurred_at: end },
    ['source', 'stars', 'claw_back', 'occurred_at'],
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
  expect(parsed('subscription.started', { status: undefined }).data).toMatchObject({
    status: 'active',
  });
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
] as const)('%s names another event by its %s', (type, target) => {
  expect(parsed(type, { [target]: 'x' }).success).toBe(true);
  expect(wrong(parsed(type, { [target]: 'e' }))).toEqual([
    `${target} must be another event than this one`,
  ]);
});

test('a change of a subscription tells its tier, its status, or both; a grant is one of its tier', () => {
  const changed = (fields: object) => wrong(parse('subscription.changed', fields));
  const missing = ['tier is required, unless only a status is told'];
  for (const good of [{ tier }, { status: 'past_due' }, { tier, status: 'paused' }])
    expect(changed(good)).toEqual([]);
  for (const bad of [{}, { monthly_grant_stars }, { status: 'paused', monthly_grant_stars }])
    expect(changed(bad)).toEqual(missing);
});

test('a refund names no compartment', () => {
  expect(parsed('stars.refunded', { compartment: 'pack' }).success).toBe(false);
});

test.each([
  [end, Date.parse(end)],
  ['2026-12-01T01:00:00.001+01:00', Date.parse(end) + 1],
  ['2026-12-01T00:00:00', undefined],
  ['2026-12-01', undefined],
])('the moment %s is %s', (current_period_end, at) => {
  const { data } = parse('subscription.renewed', { current_period_end });
  expect(data && 'current_period_end' in data ? data.current_period_end : undefined).toBe(at);
});

test.each([
  ['subscription.started', 'current_period_end'],
  ['subscription.renewed', 'current_period_end'],
  ['pack.purchased', 'expires_at'],
] as const)('%s: the %s is in a year that has four digits in UTC', (type, field) => {
  const message = `${field} must be in the years 0000 to 9999 in UTC`;
  for (const time of ['9999-12-31T23:59:59-05:00', '0000-01-01T00:00:00+01:00']) {
    expect(wrong(parsed(type, { [field]: time }))).toEqual([message]);
  }
  expect(parsed(type, { [field]: '9999-12-31T23:59:59Z' }).success).toBe(true);
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
  ['subscription.changed', 'tier', 50],
  ['subscription.started', 'tier', 50],
  ['subscription.started', 'status', 50],
] as const)('%s: the %s has at most %i characters', (type, field, most) => {
  const texts = ['x'.repeat(most), 'x'.repeat(most + 1), ' '];
  expect(texts.map(isTaken(type, field))).toEqual([true, false, false]);
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
