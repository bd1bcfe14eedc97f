import type { Fault } from './fault-proxy.ts';
import { pick, random } from './random.ts';

/** Which faults strike the requests of a case. */
export interface Plan {
  name: string;
  /** What befalls request k, the first being 1. */
  strike(k: number): Fault | undefined;
  /** Whether it strikes on while the client repeats. Others end with the first answer. */
  lasting?: boolean;
  /** Whether the function may end without a word. */
  kills?: boolean;
}

const kills = (fault: Fault): boolean => fault.startsWith('killed');

const once = (fault: Fault, at: number): Plan => ({
  name: `${fault}, at request ${at}`,
  strike: (k) => (k === at ? fault : undefined),
  kills: kills(fault),
});

const from = (fault: Fault, at: number): Plan => ({
  name: `${fault}, from request ${at}`,
  strike: (k) => (k >= at ? fault : undefined),
});

const pair = (first: Fault, at: number, second: Fault, later: number): Plan => ({
  name: `${first}, at request ${at}, and ${second}, at request ${at + later}`,
  strike: (k) => (k === at ? first : k === at + later ? second : undefined),
  lasting: true,
  kills: kills(first) || kills(second),
});

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
  planOf: (fault: Fault, at: number) => Plan,
): Plan[] =>
  calls.flatMap((operation, i) =>
    faults.filter((fault) => concerns(fault, operation)).map((fault) => planOf(fault, i + 1)),
  );

/** Each fault at each request, once; and where the function's own retries would hide it, until it answers. */
export const shortPlans = (calls: readonly string[]): Plan[] => [
  ...forEach(calls, shortOnce, once),
  ...forEach(calls, shortFrom, from),
];

/** Those that last as long as the function has. They kill nobody, so that all can be at once. */
export const longPlans = (calls: readonly string[]): Plan[] => [
  ...forEach(calls, ['late'], once),
  ...forEach(calls, ['conflict', 'throttled'], from),
];

/** Two faults that each leave something behind: at the last write, and at one of the next three requests. */
export const pairPlans = (calls: readonly string[]): Plan[] => {
  const faults: Fault[] = ['reply lost', 'killed after', 'conflict'];
  return faults.flatMap((first) =>
    faults.flatMap((second) => [1, 2, 3].map((later) => pair(first, calls.length, second, later))),
  );
};

/** Of plans that differ only in the request that they strike, one by chance: the same for the same seed. */
export const oneOfEachKind = (plans: readonly Plan[], seed: number): Plan[] => {
  const next = random(seed);
  const alike = Map.groupBy(plans, ({ name }) => name.replace(/\d+/g, ''));
  return [...alike.values()].map((some) => pick(next, some));
};
