import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import { holdEvent } from '../../../../lib/billing/rules/hold-events.ts';
import { walletEvent } from '../../../../lib/billing/rules/wallet-events.ts';
import {
  putWaitingRequest,
  readWaitingRequests,
  timeFields,
  waitingRequestOf,
} from '../../../../lib/billing/writer/waiting/waiting-request.ts';
import { itemOf } from '../../../support/billing-items.ts';
import { someOrigin } from '../../../support/origin.ts';
import { SimulatedStore } from '../../../support/simulated-store.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

// How a waiting request is stored.

beforeAll(() => void vi.stubEnv('TABLE_NAME', 'Simulated'));
afterAll(() => void vi.unstubAllEnvs());

/** The names of all fields of a JSON schema that are times. */
const timesIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, { format?: string }> };
  const own = Object.entries(properties).flatMap(([name, { format }]) =>
    format === 'date-time' ? name : [],
  );
  return [...own, ...Object.values(schema).flatMap(timesIn)];
};

test('every time of every cause is stored as its schema reads it', () => {
  const schemas = [walletEvent, holdEvent].map((one) => z.toJSONSchema(one, { io: 'input' }));
  expect(new Set(schemas.flatMap(timesIn))).toEqual(timeFields);
});

const organization_id = randomUUID();
const [from, until] = ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00+01:00'];
const of = (fields: object) => ({ event_id: 'e', organization_id, ...fields });

test.each<[string, object]>([
  [
    'what was paid, by lines',
    of({
      type: 'subscription.paid',
      subscription_id: 's',
      occurred_at: from,
      lines: [{ from, until, monthly_grant_stars: 100, tier: 'pro', trial: true }],
      payment: 'p',
      amount: 4900,
    }),
  ],
  [
    'what was paid, by a plan',
    of({ type: 'subscription.paid', tier: 'pro', period_start: from, period_end: until }),
  ],
  ['a status', of({ type: 'subscription.changed', status: 'past_due', occurred_at: from })],
  ['an end', of({ type: 'subscription.canceled' })],
  ['a reversal', of({ type: 'subscription.reversed', paid: 'p', amount: 1, occurred_at: from })],
  ['a purchase', of({ type: 'pack.purchased', stars: 5, expires_at: until })],
  ['its reversal', of({ type: 'pack.reversed', purchase: 'p', claw_back: true, source: 'r' })],
  ['a spend', of({ type: 'stars.spent', stars: 1, reason: 'x', feature: 'f', spender: 's' })],
  ['a refund', of({ type: 'stars.refunded', stars: 1, refunds: 'p' })],
  ['an adjustment', of({ type: 'stars.adjusted', pack_change: -1, reason: 'x' })],
  ['a hold', { type: 'stars.held', event_id: 'h', stars: 1, expires_in_seconds: 60 }],
  ['an extension', { type: 'hold.extended', event_id: 'h', expires_in_seconds: 60 }],
  ['a capture', { type: 'hold.captured', event_id: 'h', stars: 1, up_to_available: true }],
  ['a release', { type: 'hold.released', event_id: 'h' }],
])('%s is read as it was left', async (_, input) => {
  const isOfHold = !('organization_id' in input);
  const cause: Cause = isOfHold ? z.parse(holdEvent, input) : z.parse(walletEvent, input);
  const whole = {
    cause,
    not_after: Date.now(),
    fingerprint: 'of what Stripe said',
    origin: someOrigin,
    spender: 'agent',
  };
  const least = { ...whole, not_after: undefined, fingerprint: undefined, spender: undefined };
  const request = waitingRequestOf([whole, least], Date.now() + 60_000);
  const clock = new VirtualClock(Math.random);
  clock.now = Date.now();
  const store = new SimulatedStore(clock);
  store.put(itemOf(putWaitingRequest(organization_id, request)));
  const reading = readWaitingRequests(store.open(), organization_id);
  await clock.run(100);
  const found = await reading;
  expect(found).toEqual([{ time: request.time, id: request.id, request, isOver: false }]);
});
