import { type Cost, unitsOf } from '../../cost/measure.ts';
import { assumptions, prices } from '../prices.ts';

/** Who is paid for a call. */
const payees = ['gateway', 'function', 'reads', 'writes', 'events', 'logs and traces'] as const;
export type Bill = Record<(typeof payees)[number], number>;

const withoutRoute = ['applyWalletEvents'];

const secondsOf = ({ milliseconds, trips }: Cost, spend: Cost): number =>
  ((milliseconds ?? spend.milliseconds ?? 0) + trips * assumptions.roundTripMilliseconds) / 1000;

export const invocation = (seconds: number): number =>
  prices.lambdaRequests + seconds * assumptions.functionGigabytes * prices.lambdaGigabyteSeconds;

/** Each item of the outbox gets its number, and is an event, put on the bus by an invocation counted as its own. */
const eventsOf = ({ id, written }: Cost, numbering: Cost): number => {
  const items = written.filter((kind) => ['HISTORY', 'LEDGER', 'NOTICE'].includes(kind)).length;
  const { read, write } = unitsOf(numbering);
  const numbered =
    read * prices.readUnits +
    write * prices.writeUnits +
    invocation(secondsOf(numbering, numbering));
  const publishing = invocation((5 + assumptions.roundTripMilliseconds) / 1000);
  const out = items * (numbered + publishing + prices.busEvents);
  // Put on the bus by whoever sends it, then queued: sent, received and deleted.
  const into = prices.busEvents + 3 * prices.queueRequests;
  return out + (id === 'applyWalletEvents' ? into : 0);
};

/** What one call costs, in dollars. What logs no time takes as long as a spend. */
export const billOf = (cost: Cost, spend: Cost, numbering: Cost): Bill => {
  const { read, write } = unitsOf(cost);
  const routed = !withoutRoute.includes(cost.id);
  const logged =
    cost.loggedBytes + assumptions.platformLogBytes + (routed ? assumptions.accessLogBytes : 0);
  return {
    gateway: routed ? prices.restApiCalls : 0,
    function: invocation(secondsOf(cost, spend)),
    reads: read * prices.readUnits,
    writes: write * prices.writeUnits,
    events: eventsOf(cost, numbering),
    'logs and traces':
      (logged / 1e9) * prices.logGigabytes + assumptions.tracedShare * prices.tracesRecorded,
  };
};

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((a, b) => a + b, 0);

/** Dollars for a million. */
export const dollars = (each: number): string => (each * 1e6).toFixed(2);
