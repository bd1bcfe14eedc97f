import type { Fault, Plan } from '../support/faults/watched-requests.ts';
import { pick, random } from '../support/random.ts';

const kills = (fault: Fault): boolean => fault.startsWith('killed');

/** A request of an undisturbed call. Whose member an environment has not seen makes one more before it. */
interface Place {
  /** The first being 1. */
  k: number;
  operation: string;
  /** Of those of its operation. */
  n: number;
}

const isAt = (place: Place, { operation, n }: Omit<Place, 'k'>): boolean =>
  operation === place.operation && n === place.n;

const once = (fault: Fault, at: Place): Plan => ({
  name: `${fault}, at request ${at.k}`,
  strike: (_k, of) => (isAt(at, of) ? fault : undefined),
  kills: kills(fault),
});

const from = (fault: Fault, at: Place): Plan => ({
  name: `${fault}, from request ${at.k}`,
  strike: (k, { operation, n }) =>
    (operation === at.operation ? n >= at.n : k > at.k) ? fault : undefined,
});

const pair = (first: Fault, at: Place, second: Fault, later: number): Plan => ({
  name: `${first}, at request ${at.k}, and ${second}, at request ${at.k + later}`,
  strike: (k, of) => (isAt(at, of) ? first : k === at.k + later ? second : undefined),
  lasting: true,
  kills: kills(first) || kills(second),
});

const placesOf = (calls: readonly string[]): Place[] =>
  calls.map((operation, i) => ({
    k: i + 1,
    operation,
    n: calls.slice(0, i + 1).filter((one) => one === operation).length,
  }));

const shortOnce: Fault[] = [
  'request lost',
  'reply lost',
  'server error',
  'conflict',
  'unprocessed',
  'throttled',
  'killed before',
  'killed after',
];
const shortFrom: Fault[] = ['request lost', 'reply lost', 'server error'];

/** Whether it makes a difference: whatever becomes of the reply, a request that reads is repeated. */
const concerns = (fault: Fault, operation: string): boolean => {
  if (fault === 'unprocessed') return operation === 'BatchGetItem';
  const ofWrites: Fault[] = ['conflict', 'reply lost', 'killed after'];
  return operation === 'TransactWriteItems' || !ofWrites.includes(fault);
};

const forEach = (
  calls: readonly string[],
  faults: readonly Fault[],
  planOf: (fault: Fault, at: Place) => Plan,
): Plan[] =>
  placesOf(calls).flatMap((at) =>
    faults.filter((fault) => concerns(fault, at.operation)).map((fault) => planOf(fault, at)),
  );

/** Each fault at each request, once; and where the function's own retries would hide it, until it answers. */
export const shortPlans = (calls: readonly string[]): Plan[] => [
  ...forEach(calls, shortOnce, once),
  ...forEach(calls, shortFrom, from),
];

/** Those that last as long as the function has. They kill nobody, so that all can be at once. */
export const longPlans = (calls: readonly string[]): Plan[] =>
  [...forEach(calls, ['late'], once), ...forEach(calls, ['conflict', 'throttled'], from)].map(
    (plan) => ({ ...plan, isLong: true }),
  );

/** Two faults that each leave something behind: at the last write, and at one of the next three requests. */
export const pairPlans = (calls: readonly string[]): Plan[] => {
  const faults: Fault[] = ['reply lost', 'killed after', 'conflict'];
  const last = placesOf(calls).at(-1)!;
  return faults.flatMap((first) =>
    faults.flatMap((second) => [1, 2, 3].map((later) => pair(first, last, second, later))),
  );
};

/** Of plans that differ only in the request that they strike, one by chance: the same for the same seed. */
export const oneOfEachKind = (plans: readonly Plan[], seed: number): Plan[] => {
  const next = random(seed);
  const alike = Map.groupBy(plans, ({ name }) => name.replace(/\d+/g, ''));
  return [...alike.values()].map((some) => pick(next, some));
};
