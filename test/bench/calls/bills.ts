import { type Cost, unitsOf } from '../../cost/measure.ts';
import { assumptions, prices, tracedShare } from '../prices.ts';

/** Who is paid for a call. */
const payees = ['gateway', 'function', 'reads', 'writes', 'events', 'logs and traces'] as const;
export type Bill = Record<(typeof payees)[number], number>;

const withoutRoute = ['applyWalletEvents', 'followChanges'];

const secondsOf = ({ milliseconds, trips }: Cost, spend: Cost): number =>
  ((milliseconds ?? spend.milliseconds ?? 0) + trips * assumptions.roundTripMilliseconds) / 1000;

const invocation = (seconds: number): number =>
  prices.lambdaRequests + seconds * assumptions.functionGigabytes * prices.lambdaGigabyteSeconds;

const tracing = (perSecond: number): number => tracedShare(perSecond) * prices.tracesRecorded;

/** What is done for a call once it was answered. */
export interface Outside {
  numbering: Cost;
  /** Of a spend, as usage. */
  counting: Cost;
}

const workOf = (cost: Cost): number => {
  const { read, write } = unitsOf(cost);
  return read * prices.readUnits + write * prices.writeUnits + invocation(secondsOf(cost, cost));
};

/** Each item of the outbox gets its number, and is an event, put on the bus: by an invocation each that is counted as its own. */
const eventsOf = ({ id, written }: Cost, { numbering, counting }: Outside, perSecond: number) => {
  const items = written.filter((kind) => ['HISTORY', 'LEDGER', 'NOTICE'].includes(kind)).length;
  const numbered = workOf(numbering);
  // Entries of one call are counted together. A wake is sent, received and deleted.
  const counted = written.includes('LEDGER')
    ? workOf(counting) + 3 * prices.queueRequests + tracing(perSecond)
    : 0;
  const publishing = invocation((5 + assumptions.roundTripMilliseconds) / 1000);
  const traced = items > 0 ? 2 * tracing(items * perSecond) : 0;
  const out = items * (numbered + publishing + traced + prices.busEvents) + counted;
  // Put on the bus by whoever sends it, then queued: sent, received and deleted.
  const into = prices.busEvents + 3 * prices.queueRequests;
  return out + (id === 'applyWalletEvents' ? into : 0);
};

/** What one call costs, in dollars, where so many come a second. What logs no time takes as long as a spend. */
export const billOf = (cost: Cost, spend: Cost, outside: Outside, perSecond: number): Bill => {
  const { read, write } = unitsOf(cost);
  const routed = !withoutRoute.includes(cost.id);
  const logged =
    cost.loggedBytes + assumptions.platformLogBytes + (routed ? assumptions.accessLogBytes : 0);
  return {
    gateway: routed ? prices.restApiCalls : 0,
    function: invocation(secondsOf(cost, spend)),
    reads: read * prices.readUnits,
    writes: write * prices.writeUnits,
    events: eventsOf(cost, outside, perSecond),
    'logs and traces': (logged / 1e9) * prices.logGigabytes + tracing(perSecond),
  };
};

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((a, b) => a + b, 0);

/** Dollars for a million. */
export const dollars = (each: number): string => (each * 1e6).toFixed(2);
