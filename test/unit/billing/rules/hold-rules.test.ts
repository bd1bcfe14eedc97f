import { expect, test } from 'vitest';
import { toBalance } from '../../../../lib/billing/balance.ts';
import { mostOpenHolds } from '../../../../lib/billing/refusals.ts';
import { apply } from '../../../../lib/billing/rules/rules.ts';
import {
  applyCause,
  capture,
  end,
  event,
  held,
  hold,
  iso,
  later,
  now,
  release,
  wallet,
} from './wallets.ts';

// What each end of a hold does to the numbers of an entry: rules.test.ts. Any sequence: rules.property.test.ts.

test('a hold still has its monthly stars after the period’s end, and in the next one', () => {
  const { wallet: before, hold } = held(30);
  expect(toBalance(before, end)).toMatchObject({ monthly_stars: 30, held_stars: 30 });
  const renewed = event({ type: 'subscription.renewed', current_period_end: iso(later) });
  const { wallet: next, entry } = applyCause(before, renewed, now);
  expect(entry).toMatchObject({ monthly_lapsed: 10, monthly_change: 100, monthly_after: 130 });
  expect(applyCause(next, capture(), end, { hold }).wallet.monthly_stars).toBe(100);
  expect(applyCause(next, release, end, { hold }).entry).toMatchObject({
    monthly_lapsed: 30,
    monthly_after: 100,
  });
});

test('a hold has expired at its time, and not a millisecond before', () => {
  const { wallet: before, hold } = held(30, undefined, now + 60);
  for (const cause of [capture(), release, { type: 'hold.extended', event_id: 'h' } as const]) {
    expect(apply(before, cause, now + 60, { hold })).toBe('hold_expired');
    expect(apply(before, cause, now + 59, { hold })).toBeTypeOf('object');
    expect(apply(before, cause, now + 59)).toBe('hold_expired');
  }
});

test('there are 1,000 open holds at most', () => {
  const after = (open_holds: number) => apply(wallet({ open_holds }), hold(1), now);
  expect(after(mostOpenHolds)).toBe('too_many_holds');
  expect(after(mostOpenHolds - 1)).toMatchObject({ wallet: { open_holds: mostOpenHolds } });
});
