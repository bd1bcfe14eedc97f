import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  burstSeconds,
  excessOf,
  judge,
  leastPerSecond,
  mostPerSecond,
  rateLimitHeaders,
  sample,
  sampleEvery,
  tolerance,
} from '../../../lib/organizations/request-limit.ts';
import { random as seeded } from '../../support/random.ts';
import { simulate } from './request-limit-simulation.ts';

const seed = 20_261_122;
const now = Date.UTC(2026, 10, 22);
const rates = fc.integer({ min: leastPerSecond, max: mostPerSecond });
/** A counter whose bucket has so many requests in it. */
const filled = (level: number, rate: number) => ({ clearAt: now + (level / rate) * 1000 });

describe('a verdict', () => {
  test('by example: nothing counted, half of the burst, all of it, and beyond what a sample may err', () => {
    const all = [0, 50, 100, 199, 200, 260].map((level) => judge(filled(level, 50), now, 50));
    const of = (
      admitted: boolean,
      remaining: number,
      fullInSeconds: number,
      retryAfterSeconds: number,
    ) => ({
      admitted,
      perSecond: 50,
      burst: 100,
      remaining,
      fullInSeconds,
      retryAfterSeconds,
    });
    expect(all).toEqual([
      of(true, 100, 0, 1),
      of(true, 50, 1, 1),
      of(true, 0, 2, 1),
      of(true, 0, 4, 1),
      of(false, 0, 4, 1),
      of(false, 0, 6, 2),
    ]);
    expect(rateLimitHeaders(all[1]!)).toEqual({
      'RateLimit-Policy': '"organization";q=100;w=2',
      RateLimit: '"organization";r=50;t=1',
    });
  });

  test('admits up to burst and tolerance, and no more', () => {
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

  test('admits again once the refused have waited as they were told', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 1_000_000 }), (rate, level) => {
        const counter = filled(level, rate);
        const { retryAfterSeconds } = judge(counter, now, rate);
        expect(judge(counter, now + retryAfterSeconds * 1000 + 1, rate).admitted).toBe(true);
      }),
      { seed },
    );
  });

  test('has more left the later it is, and everything when it says', () => {
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 0, max: 60_000 }),
        (rate, level, later) => {
          const counter = filled(level, rate);
          const before = judge(counter, now, rate);
          const after = judge(counter, now + later, rate);
          expect(after.remaining).toBeGreaterThanOrEqual(before.remaining);
          expect(judge(counter, now + before.fullInSeconds * 1000, rate).remaining).toBe(
            before.burst,
          );
        },
      ),
      { seed },
    );
  });

  test('goes by an organization’s own limit before the usual one', () => {
    const counter = { ...filled(150, 50), perSecond: 10 };
    expect(judge(counter, now, 50)).toMatchObject({ perSecond: 10, burst: 20, remaining: 0 });
    expect(judge({ clearAt: 0, perSecond: 200 }, now, 50).remaining).toBe(400);
  });
});

test('35 written units or 175 that are read count as one request, and less than that as one, too', () => {
  const excesses = [
    { read: 0, written: 0 },
    { read: 175, written: 0 },
    { read: 0, written: 35 },
    { read: 175, written: 35 },
    { read: 350, written: 3500 },
  ].map(excessOf);
  expect(excesses).toEqual([0, 0, 0, 1, 101]);
});

describe('a sample', () => {
  test.each([1, 1.1, 10, 19.9, 20, 35])('of weight %f is on average that weight', (weight) => {
    const random = seeded(seed);
    const tries = 100_000;
    let counted = 0;
    for (let i = 0; i < tries; i++) counted += sample(weight, sampleEvery, random);
    // Four standard deviations of the mean, at most.
    const off = 4 * Math.sqrt((weight * sampleEvery) / tries);
    expect(Math.abs(counted / tries - weight)).toBeLessThan(off);
  });

  test('is all or nothing of twenty, and of what weighs more its weight', () => {
    const at = (random: number) => [1, 10, 20, 35].map((one) => sample(one, 20, () => random));
    expect(at(0)).toEqual([20, 20, 20, 35]);
    expect(at(0.05)).toEqual([0, 20, 20, 35]);
    expect(at(0.4999)).toEqual([0, 20, 20, 35]);
    expect(at(0.5)).toEqual([0, 0, 20, 35]);
    expect([sample(2.5, 1), sample(10, Number.POSITIVE_INFINITY)]).toEqual([2.5, 0]);
  });
});

// What docs/reliability.md says of the count's error is what this prints.
describe(`the count, simulated with seed ${seed}`, () => {
  const run = (perSecond: number) => simulate({ perSecond, seconds: 600, limit: 50, seed });

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
