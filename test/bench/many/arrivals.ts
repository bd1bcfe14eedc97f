import { longestWaitMs } from '../../../lib/table/retry.ts';
import { type Random, random } from '../../support/random.ts';
import { patience } from './limits.ts';

export interface Outcome {
  /** Done a second, while they came. */
  done: number;
  /** Of a hundred that came. */
  refused: number;
  /** Milliseconds that ninety-nine of a hundred took at most. */
  p99: number;
}

interface Arrival<T> {
  came: number;
  attempts: number;
  what: T;
}

/** What comes, and whether its transaction is done at a moment, in milliseconds. Before each attempt it reads for so long. */
export interface Load<T> {
  next(random: Random): T;
  write(what: T, now: number): boolean;
  readMilliseconds: number;
  transactionMilliseconds: number;
}

/** Milliseconds. The buckets are full when the first ones come: what follows is what lasts, until the last. */
const [settled, end] = [20_000, 320_000];

/** Lets so many come a second, at random times, a millisecond at a time. What is refused repeats as the service does. */
export const simulateArrivals = <T>(load: Load<T>, perSecond: number, seed: number): Outcome => {
  const next = random(seed);
  const { transactionMilliseconds } = load;
  const agenda: Arrival<T>[][] = [];
  for (let n = 0; n < (perSecond * end) / 1000; n++) {
    const came = Math.floor(next() * end);
    const arrival = { came, attempts: 0, what: load.next(next) };
    schedule(agenda, came + load.readMilliseconds, arrival);
  }
  const took: number[] = [];
  let [done, refused] = [0, 0];
  for (let now = 0; now < agenda.length; now++) {
    for (const arrival of agenda[now] ?? []) {
      arrival.attempts++;
      const counts = arrival.came >= settled && arrival.came < end - patience;
      const again = now + transactionMilliseconds + waitAfter(arrival.attempts, next);
      if (load.write(arrival.what, now)) {
        done += Number(now >= settled && now < end);
        if (counts) took.push(now - arrival.came + transactionMilliseconds);
      } else if (again > arrival.came + patience) refused += Number(counts);
      else schedule(agenda, again + load.readMilliseconds, arrival);
    }
  }
  took.sort((a, b) => a - b);
  return {
    done: (done * 1000) / (end - settled),
    refused: (100 * refused) / (refused + took.length),
    p99: took[Math.floor(took.length * 0.99)] ?? 0,
  };
};

const schedule = <T>(agenda: Arrival<T>[][], at: number, arrival: Arrival<T>): void => {
  while (agenda.length <= at) agenda.push([]);
  agenda[at]?.push(arrival);
};

const waitAfter = (attempts: number, next: Random): number =>
  Math.ceil(next() * longestWaitMs(attempts));
