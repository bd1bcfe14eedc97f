import { expect, test } from 'vitest';
import { excessOf } from '../../../lib/organizations/request-limit.ts';
import { seed, random as seeded } from '../../support/random.ts';
import { SimulatedLimit, untilNext } from './request-limit-simulation.ts';

// One organization sends the dearest requests that there are, beside twenty others that need a third of what the table may
// write. What docs/reliability.md says of it is what this prints.

const [limit, seconds] = [50, 300];
/** What DynamoDB lets a table write in a second, unless the account has more. */
const tableUnitsPerSecond = 40_000;
/** Of twenty others: what they send in a second, and the units that one request writes. */
const [othersPerSecond, usualUnits] = [20 * 25, 25];
/** The dearest request: a batch of ten leads with long names and 20 tags each, a transaction for each lead. */
const [dearestUnits, dearestLeads] = [3484, 10];

/** The share of the others' requests for which the table had no capacity, and what the greedy one got in a second. */
const simulateDear = (perSecond: number, byUnits: boolean) => {
  const random = seeded(seed);
  const greedy = new SimulatedLimit(limit, random);
  // The table's capacity is kept for a second. A request is let through while any is left, whatever it costs.
  let [left, since] = [tableUnitsPerSecond, 0];
  const take = (units: number, now: number): boolean => {
    const more = ((now - since) / 1000) * tableUnitsPerSecond;
    left = Math.min(tableUnitsPerSecond, left + more);
    since = now;
    if (left <= 0) return false;
    left -= units;
    return true;
  };
  let [sent, throttled, admitted] = [0, 0, 0];
  let nextGreedy = perSecond > 0 ? untilNext(perSecond, random) : Number.POSITIVE_INFINITY;
  let nextUsual = untilNext(othersPerSecond, random);
  for (let now = 0; now <= seconds * 1000; now = Math.min(nextGreedy, nextUsual)) {
    if (now === nextUsual) {
      sent++;
      if (!take(usualUnits, now)) throttled++;
      nextUsual = now + untilNext(othersPerSecond, random);
    } else if (now === nextGreedy) {
      if (greedy.admits(now)) {
        admitted++;
        for (let i = 0; i < dearestLeads; i++) take(dearestUnits / dearestLeads, now);
        if (byUnits) greedy.count(now, excessOf({ read: 0, written: dearestUnits }));
      }
      nextGreedy = now + untilNext(perSecond, random);
    }
  }
  return { throttled: throttled / sent, admittedPerSecond: admitted / seconds };
};

test(`others notice nothing of one that sends the dearest requests, as these count by what they cost (SEED=${seed})`, () => {
  const run = (name: string, perSecond: number, byUnits: boolean) => {
    const seen = simulateDear(perSecond, byUnits);
    const percent = (100 * seen.throttled).toFixed(2);
    const admitted = seen.admittedPerSecond.toFixed(2);
    console.log(
      `${name}: ${percent} % of the others’ requests throttled, ${admitted}/s of its own admitted`,
    );
    return seen;
  };
  expect(run('nobody beside them', 0, true).throttled).toBe(0);
  const counted = run('dear requests that count by their units', limit, true);
  expect(counted.throttled).toBeLessThan(0.001);
  // 50 requests a second are 1,750 units: half of a dear one. It gets so much, and no more.
  expect(counted.admittedPerSecond).toBeGreaterThan(0.3);
  expect(counted.admittedPerSecond).toBeLessThan(1.5);
  // The control: there is something to notice.
  expect(run('dear requests that count as one', limit, false).throttled).toBeGreaterThan(0.1);
});
