import { describe, expect, test } from 'vitest';
import { withSource } from '../../../../../lib/billing/rules/reversals/sources.ts';

const toldOf = (stars: number) => ({ id: 'refund', stars, claw_back: false });

describe.each([undefined, 0, 5])('of a purchase for %s of money', (amount) => {
  test.each([
    [50, 100],
    [100, 50],
  ])('the larger of two tellings without a time counts: %d, then %d', (first, then) => {
    const had = { stars: 200, amount };
    const sources = withSource([], toldOf(first), had);
    expect(withSource(sources, toldOf(then), had)).toEqual([toldOf(100)]);
  });
});
