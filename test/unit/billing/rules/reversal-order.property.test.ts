import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cause } from '../../../../lib/billing/rules/causes.ts';
import type { Purchase } from '../../../../lib/billing/stored/purchase.ts';
import type { Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { reversalOf } from '../../../support/billing.ts';
import { seed } from '../../../support/random.ts';
import { times } from '../../../support/some.ts';
import { applyCause, event, held, iso, later, now, purchase, spend, withPacks } from './wallets.ts';

// Billing's events about one purchase come in any order, and more than once. A run is repeated with its SEED.

const stars = fc.integer({ min: 0, max: 70 });
const told = fc.record({
  source: fc.constantFrom('refund', 'other', 'dispute', 'last'),
  /** How much it reverses, and how it says so: without a word, it is all. */
  size: stars,
  by: fc.constantFrom('stars', 'stars', 'amount', undefined),
  claw_back: fc.boolean(),
  second: fc.integer({ min: 0, max: 4 }),
});
type Told = typeof told extends fc.Arbitrary<infer T> ? T : never;

const before = fc.record({
  /** What the purchase gives, and when that expires. */
  bought: fc.integer({ min: 1, max: 60 }),
  /** What was paid, where billing tells it: a free pack is paid with nothing. */
  amount: fc.constantFrom(undefined, 0, 0, 65),
  expires_at: fc.constantFrom(undefined, later),
  spent: stars,
  held: stars,
  others: fc.boolean(),
  /** Whether nothing is held or clawed back: then all stars are those of the purchase. */
  isPlain: fc.boolean(),
});

type Before = typeof before extends fc.Arbitrary<infer T> ? T : never;

const causeOf = (
  { source, size, by, claw_back, second }: Told,
  i: number,
  { isPlain, amount }: Before,
): Cause =>
  event({
    ...{ type: 'pack.reversed', purchase: 'p', source },
    // Where no money is known, a source can reverse none of it.
    ...(by && { [by]: by === 'amount' && !amount ? 0 : size }),
    claw_back: claw_back && !isPlain,
    event_id: `r${i}`,
    occurred_at: iso(now + second * 1000),
  });

const free = ({ monthly_stars, pack_stars, held }: Omit<Wallet, 'version'>) =>
  monthly_stars + pack_stars - held.monthly - held.pack;

test(`the events of a purchase’s refunds and disputes end alike in every order (SEED=${seed})`, () => {
  const seen = { reordered: 0, owed: 0, forgiven: 0, taken: 0, pools: 0, free: 0, money: 0 };
  const runs = fc.record({
    before,
    events: fc.array(told, { minLength: 2, maxLength: 6 }).chain((events) =>
      fc.record({
        events: fc.constant(events),
        // Some come twice.
        order: fc.shuffledSubarray([...events, ...events], { minLength: events.length }),
      }),
    ),
  });
  fc.assert(
    fc.property(runs, ({ before: setting, events: { events, order } }) => {
      const opened = setting.others ? withPacks() : withPacks({ pack_stars: 0, packs: [] });
      const bought = { ...purchase(setting.bought, setting.expires_at), amount: setting.amount };
      const made = applyCause(opened, bought);
      let start = made.wallet;
      if (setting.spent > 0 && setting.spent <= free(start))
        start = applyCause(start, spend(setting.spent)).wallet;
      if (!setting.isPlain && setting.held > 0 && setting.held <= free(start))
        start = held(setting.held, start).wallet;
      const end = (some: readonly Told[]) => {
        let state = { wallet: start, purchase: made.purchase! as Purchase };
        for (const [i, one] of some.entries()) {
          const step = applyCause(state.wallet, causeOf(one, i, setting), now, {
            purchase: state.purchase,
          });
          state = { wallet: step.wallet, purchase: step.purchase! };
        }
        const { monthly_stars, owed_stars } = state.wallet;
        const { forgiven } = reversalOf(state.purchase);
        // Where other stars have paid a debt meanwhile, what comes back are stars of the purchase.
        const { packs } = state.wallet;
        return {
          stars: { free: free(state.wallet), owed_stars, forgiven },
          ...(setting.isPlain && { monthly_stars, packs }),
        };
      };
      const whole = [...order, ...events.filter((one) => !order.includes(one))];
      const [expected, other] = [end(events), end(whole)];
      assert.deepEqual(other, expected);
      if (whole.some((one, i) => one !== events[i])) seen.reordered++;
      if (expected.stars.owed_stars > 0) seen.owed++;
      if (expected.stars.forgiven > 0) seen.forgiven++;
      if (expected.stars.free < free(start)) seen.taken++;
      if ('packs' in expected) seen.pools++;
      if (setting.amount === 0 && expected.stars.free < free(start)) seen.free++;
      if (setting.amount && events.some(({ by }) => by === 'amount')) seen.money++;
    }),
    { seed, numRuns: times(1000, 20_000) },
  );
  // Of a thousand, about thirty forgive: a tenth of that is never missed by chance.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(3);
});
