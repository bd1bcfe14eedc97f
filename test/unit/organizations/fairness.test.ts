import { expect, test } from 'vitest';
import { random as seeded } from '../../support/random.ts';
import { SimulatedLimit, untilNext } from './request-limit-simulation.ts';

// One organization asks for ten times its limit, beside twenty others that need 15 of the 100 functions that the account
// lets run at once. What docs/reliability.md says of it is what this prints.

const seed = 20_261_122;
const [limit, seconds] = [50, 300];
/** Beyond them, whoever comes is turned away. */
const functionsAtOnce = 100;
/** What twenty others send in a second. */
const othersPerSecond = 20 * 25;
/** Milliseconds that a function takes for a request of theirs, for a search of everything, and to refuse one. */
const [usualWork, greedyWork, refusal] = [30, 200, 10];
/** The client's own: attempts, and the longest wait before the second one, doubled with each. */
const [attempts, firstDelay] = [5, 200];

interface Greed {
  /** What one organization sends beside the others; 0 for none. */
  perSecond: number;
  /** What it may send; without it, nothing holds it. */
  limit?: number;
}

interface Arrival {
  at: number;
  greedy: boolean;
  /** When the call was made first, and which attempt this is. */
  since: number;
  attempt: number;
}

/** What the others see while one organization sends that much. */
const simulateOthers = (greed: Greed) => {
  const random = seeded(seed);
  const limited = greed.limit && new SimulatedLimit(greed.limit, random);
  /** What is due, the last first. */
  const schedule: Arrival[] = [];
  const add = (one: Arrival) => {
    const place = schedule.findLastIndex(({ at }) => at > one.at);
    schedule.splice(place + 1, 0, one);
  };
  const arrive = (greedy: boolean, now: number) => {
    const rate = greedy ? greed.perSecond : othersPerSecond;
    if (rate === 0) return;
    const at = now + untilNext(rate, random);
    add({ at, greedy, since: at, attempt: 1 });
  };
  arrive(true, 0);
  arrive(false, 0);

  const busyUntil = new Float64Array(functionsAtOnce);
  const waits: number[] = [];
  let [failed, turnedAway, asked] = [0, 0, 0];
  for (let one = schedule.pop()!; one.at <= seconds * 1000; one = schedule.pop()!) {
    const { at, greedy, since, attempt } = one;
    if (attempt === 1) arrive(greedy, at);
    if (!greedy) asked++;
    const free = busyUntil.findIndex((until) => until <= at);
    if (free >= 0) {
      const admitted = !greedy || !limited || limited.admits(at);
      const work = greedy ? (admitted ? greedyWork : refusal) : usualWork;
      busyUntil[free] = at + work;
      if (!greedy) waits.push(at + work - since);
    } else if (!greedy) {
      turnedAway++;
      const delay = random() * firstDelay * 2 ** (attempt - 1);
      if (attempt === attempts) failed++;
      else add({ at: at + delay, greedy, since, attempt: attempt + 1 });
    }
  }
  const sorted = waits.toSorted((a, b) => a - b);
  /** Milliseconds from a call to its answer, waits between attempts included. */
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)]!;
  return {
    /** Of requests, those that found no function; of calls, those that failed after their last attempt. */
    turnedAway: turnedAway / asked,
    failed: failed / (failed + waits.length),
    p50: quantile(0.5),
    p99: quantile(0.99),
    p999: quantile(0.999),
  };
};

const run = (name: string, greed: Greed) => {
  const seen = simulateOthers(greed);
  const percent = (share: number) => `${(100 * share).toFixed(3)} %`;
  console.log(
    `${name}: of the others' requests ${percent(seen.turnedAway)} turned away, of their calls ${percent(seen.failed)} failed; ` +
      `p50 ${seen.p50.toFixed(0)} ms, p99 ${seen.p99.toFixed(0)} ms, p99.9 ${seen.p999.toFixed(0)} ms`,
  );
  return seen;
};

test(`others notice nothing of one that asks for ten times its limit, and do without a limit (SEED=${seed})`, () => {
  const alone = run('nobody beside them', { perSecond: 0 });
  const limited = run('ten times the limit, held to it', { perSecond: 10 * limit, limit });
  const free = run('the same without a limit', { perSecond: 10 * limit });
  expect(limited).toMatchObject({ failed: 0, p50: alone.p50, p99: alone.p99 });
  expect(limited.turnedAway).toBeLessThan(0.002);
  // The control: there is something to notice.
  expect(free.turnedAway).toBeGreaterThan(20 * limited.turnedAway);
  expect(free.failed).toBeGreaterThan(0);
  expect(free.p99).toBeGreaterThan(10 * alone.p99);
});
