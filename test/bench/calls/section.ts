import { type Cost, unitsOf } from '../../cost/measure.ts';
import { assumptions, prices } from '../prices.ts';
import { type Goal, type Progress, type Section, table } from '../section.ts';
import { type Bill, billOf, dollars, totalOf } from './bills.ts';
import { measureCosts } from './costs.ts';
import { type CallName, costNamed, shownCalls } from './names.ts';

const mostTrips: [name: CallName, trips: number][] = [
  ['createLead, every field and two tags', 2],
  ['listLeads, all', 1],
  ['getBalance, what there is', 1],
];

const goalOf = (costs: readonly Cost[], [name, trips]: (typeof mostTrips)[number]): Goal => {
  const measured = costNamed(costs, name).trips;
  return {
    goal: `${name.split(',')[0]}, ${trips} in a row`,
    measured: String(measured),
    holds: measured <= trips,
  };
};

/** What each call costs: capacity units, round trips, dollars. */
export const callCosts = async (progress: Progress): Promise<Section> => {
  const costs = await measureCosts(progress);
  const named = (name: CallName) => costNamed(costs, name);
  const spend = named('putSpend, a few stars');
  const outside = {
    numbering: named('numberChanges, a new lead'),
    counting: named('followChanges, a spend to be counted as usage'),
  };
  const bill = (name: Shown, perSecond: number) => billOf(named(name), spend, outside, perSecond);
  const rows = shownCalls.map((name) => {
    const { read, write } = unitsOf(named(name));
    const prices = rates.map((perSecond) => dollars(totalOf(bill(name, perSecond))));
    return [name, read, write, named(name).trips, ...prices];
  });
  return {
    title: 'Calls',
    goals: mostTrips.map((one) => goalOf(costs, one)),
    content: [
      `Capacity units, requests to DynamoDB that wait for one another, and dollars for a million (list prices of us-east-1,
${prices.asOf}, \`test/bench/prices.ts\`): gateway, function (${assumptions.functionGigabytes} GB, the time it took here and ${assumptions.roundTripMilliseconds} ms a round trip), units, logs,
traces (a function's first in a second, and 5 %), and the change's way to feed, bus and usage. Every call: \`costs\` in \`functions/**/*.examples.ts\`.`,
      table(
        ['call', 'read', 'write', 'in a row', ...rates.map((rate) => `dollars, ${rate}/s`)],
        rows,
      ),
      remarks((name) => bill(name, rates[1]), named('createLead, every field and two tags')),
    ],
  };
};

type Shown = (typeof shownCalls)[number];

/** Calls a second, for which a million of them is priced. */
const rates = [1, 100] as const;

const remarks = (bill: (name: Shown) => Bill, create: Cost): string => {
  const share = (name: Shown, payee: keyof Bill) =>
    `${Math.round((100 * bill(name)[payee]) / totalOf(bill(name)))} %`;
  const [whole, ten]: Shown[] = [
    'createLead, every field and two tags',
    'createLeads, ten with email and owner',
  ];
  const kilobytes = storedBytes(create) / 1000;
  const monthly = prices.tableGigabyteMonths + prices.backupGigabyteMonths;
  return `Of a create's price at ${rates[1]}/s, writes are ${share(whole!, 'writes')} (a transaction doubles them), the gateway ${share(whole!, 'gateway')}; a million leads in batches of
ten cost ${dollars(totalOf(bill(ten!)) / 10)}. Stored with copies and backups, a million are ${kilobytes.toFixed(1)} GB and ${(kilobytes * monthly).toFixed(2)} dollars a month.`;
};

/** Of a lead and all of its copies, by the sizes of what was answered. */
const storedBytes = ({ answerBytes, written, write }: Cost): number => {
  const copies = written.filter((kind) => ['LEADS', 'TAG'].includes(kind)).length;
  const indexes = Object.keys(write).length - 1;
  const others = written.length - copies;
  return (copies + indexes) * (answerBytes + 100) + others * (answerBytes / 2 + 100);
};
