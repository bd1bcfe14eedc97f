import { type Cost, unitsOf } from '../../cost/measure.ts';
import { callCosts } from '../calls/costs.ts';
import { type CallName, costNamed } from '../calls/names.ts';
import { assumptions, prices } from '../prices.ts';
import { type Progress, type Section, table } from '../section.ts';
import { type Expired, expiredHolds } from './expired.ts';

const calls: [CallName, string][] = [
  ['spendStars, a few', 'a spend, whose price is known'],
  ['holdStars, for a job', 'a hold'],
  ['captureHold, what it cost', 'its capture'],
  ['releaseHold, none of it spent', 'or its release'],
  ['getBalance, what there is', 'a balance'],
];

/** Of the table alone: what calls it pays for itself. */
const dollarsOf = ({ read, write }: { read: number; write: number }): number =>
  read * prices.readUnits + write * prices.writeUnits;

const milliseconds = ({ milliseconds = 0, trips }: Cost): number =>
  milliseconds + trips * assumptions.roundTripMilliseconds;

const invocation = (cost: Cost): number =>
  prices.lambdaRequests +
  (milliseconds(cost) / 1000) * assumptions.functionGigabytes * prices.lambdaGigabyteSeconds;

const rowOf = (cost: Cost, what: string) => {
  const { read, write } = unitsOf(cost);
  const dollars = dollarsOf({ read, write }) + invocation(cost);
  return [what, read, write, cost.trips, (dollars * 1e6).toFixed(2)];
};

const expiredRow = ({ holds, read, write, transactions, milliseconds }: Expired) => [
  holds.toLocaleString('en'),
  read,
  write,
  transactions,
  milliseconds.toFixed(0),
  dollarsOf({ read, write }).toFixed(6),
];

/** What it costs to hold stars and to spend some of them, and what is left behind costs later. */
export const holds = async (progress: Progress): Promise<Section> => {
  const costs = await callCosts(progress);
  const expired = await expiredHolds(progress);
  const rows = calls.map(([name, what]) => rowOf(costNamed(costs, name), what));
  const million = (i: number) => Number(rows[i]!.at(-1));
  const most = expired.at(-1)!;
  return {
    title: 'Holds',
    result: `A million holds with their captures cost ${(million(1) + million(2)).toFixed(2)} dollars, a million spends ${million(0).toFixed(2)}.
  The spend that comes after ${most.holds.toLocaleString('en')} holds have expired writes them off, in ${most.transactions} transactions.`,
    goals: [],
    content: [
      `What it costs to spend stars where the price is known only afterwards: a hold, and its capture. Round trips are
requests to DynamoDB that wait for one another. Dollars are for a million, with the function that is invoked, by the
prices of \`test/bench/prices.ts\`; what the events cost is in [Money](money.md).`,
      table(['', 'read units', 'write units', 'round trips', 'dollars for a million'], rows),
      `**Holds that nobody ended.** No job looks for them. A balance counts them as returned, and the next change of the
wallet writes them off, as many as fit into a transaction of 100 items. This is the cost of a spend that comes after so
many holds have expired, itself included, and its time in one process beside the local engine:`,
      table(
        ['expired holds', 'read units', 'write units', 'transactions', 'ms', 'dollars'],
        expired.map(expiredRow),
      ),
      `A wallet has at most 1,000 open holds, so that is the most that a spend can ever meet. In AWS each transaction adds
about ${assumptions.roundTripMilliseconds} ms, and a reading before it as many.`,
    ],
  };
};
