import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  burstSeconds,
  judge,
  leastPerSecond,
  mostPerSecond,
  rateLimitHeaders,
  sample,
  sampleEvery,
  tolerance,
  weightOf,
} from '../../../lib/organizations/request-limit.ts';
import { random as seeded } from '../../support/random.ts';
import { SimulatedLimit, untilNext } from './request-limit-simulation.ts';

const seed = 20_261_122;
const now = Date.UTC(2026, 10, 22);
const rates = fc.integer({ min: leastPerSecond, max: mostPerSecond });
/** A counter whose bucket has so many requests in it. */
const filled = (level: number, rate: number) => ({ clearAt: now + (level / rate) * 1000 });

// Nothing counted, half of the burst, all of it, and beyond what a sample may err.
test.each([
  [0, true, 100, 0, 1],
  [50, true, 50, 1, 1],
  [100, true, 0, 2, 1],
  [199, true, 0, 4, 1],
  [200, false, 0, 4, 1],
  [260, false, 0, 6, 2],
])(
  'a verdict of %i requests is admitted: %s',
  (level, admitted, remaining, fullInSeconds, retryAfterSeconds) => {
    const verdict = judge(filled(level, 50), now, 50);
    const rate = { perSecond: 50, burst: 100 };
    expect(verdict).toEqual({ admitted, ...rate, remaining, fullInSeconds, retryAfterSeconds });
    expect(rateLimitHeaders(verdict)).toEqual({
      'RateLimit-Policy': '"organization";q=100;w=2',
      RateLimit: `"organization";r=${remaining};t=${fullInSeconds}`,
    });
  },
);

test('a verdict admits up to burst and tolerance, and no more', () => {
  const levels = fc.double({ min: 0, max: 100_000, noNaN: true });
  fc.assert(
    fc.property(rates, levels, (rate, level) => {
      const most = rate * burstSeconds + tolerance;
      // Times are whole milliseconds and levels are not.
      fc.pre(Math.abs(level - most) > rate / 1000);
      expect(judge(filled(level, rate), now, rate).admitted).toBe(level < most);
    }),
    { seed },
  );
});

test('a verdict admits again once the refused have waited as they were told', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 0, max: 1_000_000 }), (rate, level) => {
      const counter = filled(level, rate);
      const { retryAfterSeconds } = judge(counter, now, rate);
      expect(judge(counter, now + retryAfterSeconds * 1000 + 1, rate).admitted).toBe(true);
    }),
    { seed },
  );
});

test('a verdict goes by an organization’s own limit before the usual one', () => {
  const counter = { ...filled(150, 50), perSecond: 10 };
  expect(judge(counter, now, 50)).toMatchObject({ perSecond: 10, burst: 20, remaining: 0 });
  expect(judge({ clearAt: 0, perSecond: 200 }, now, 50).remaining).toBe(400);
});

test.each([
  [0, 0, 0],
  [70, 0, 1],
  [0, 35, 1],
  [70, 35, 2],
  [140, 3500, 102],
])('%i units that are read and %i written count as %i requests', (read, written, weight) => {
  expect(weightOf({ read, written })).toBe(weight);
});

// So it is on average that weight.
test('a sample is all or nothing of twenty, and of what weighs more its weight', () => {
  const at = (random: number) => [1, 10, 20, 35].map((one) => sample(one, 20, () => random));
  expect(at(0)).toEqual([20, 20, 20, 35]);
  expect(at(0.0499)).toEqual([20, 20, 20, 35]);
  expect(at(0.05)).toEqual([0, 20, 20, 35]);
  expect(at(0.4999)).toEqual([0, 20, 20, 35]);
  expect(at(0.5)).toEqual([0, 0, 20, 35]);
  expect([sample(2.5, 1), sample(10, Number.POSITIVE_INFINITY)]).toEqual([2.5, 0]);
});

// What docs/reliability.md says of the count's error is what this prints.
describe(`the count, simulated with seed ${seed}`, () => {
  /** One organization's requests, which it sends at random times. */
  const run = (perSecond: number, seconds = 600) => {
    const random = seeded(seed);
    const own = new SimulatedLimit(50, random);
    let [sent, admitted] = [0, 0];
    let now = untilNext(perSecond, random);
    for (; now <= seconds * 1000; now += untilNext(perSecond, random)) {
      sent++;
      if (own.admits(now)) admitted++;
    }
    return { admittedPerSecond: admitted / seconds, refusedShare: (sent - admitted) / sent };
  };

  test('ten times the limit gets the limit through, and no more', () => {
    const { admittedPerSecond } = run(500);
    console.log(`500/s: ${admittedPerSecond.toFixed(1)}/s get in`);
    expect(admittedPerSecond).toBeGreaterThan(45);
    expect(admittedPerSecond).toBeLessThan(55);
  });

  test.each([
    [25, 0.001],
    [40, 0.02],
  ])('of %i requests a second, at most a share of %f is refused', (perSecond, most) => {
    const { refusedShare } = run(perSecond);
    console.log(`${perSecond}/s: ${refusedShare} refused`);
    expect(refusedShare).toBeLessThanOrEqual(most);
  });

  test('the count of 100 requests errs by 44 in the root mean square', () => {
    const random = seeded(seed);
    const squares = Array.from({ length: 2000 }, () => {
      let counted = 0;
      for (let i = 0; i < 100; i++) counted += sample(1, sampleEvery, random);
      return (counted - 100) ** 2;
    });
    const error = Math.sqrt(squares.reduce((a, b) => a + b) / squares.length);
    console.log(`the count of 100 requests: ± ${error.toFixed(1)}`);
    expect(error).toBeGreaterThan(40);
    expect(error).toBeLessThan(48);
  });
});
