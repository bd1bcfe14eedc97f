import type { Cost } from '../cost/measure.ts';
import { unitsOf } from '../cost/measure.ts';
import { callCosts } from './calls/costs.ts';
import { type CallName, costNamed, pricedCalls } from './calls/names.ts';
import { assumptions, prices } from './prices.ts';
import { type Chart, type Progress, type Section, table } from './section.ts';

/** Who is paid for a call. */
const payees = ['gateway', 'function', 'reads', 'writes', 'events', 'logs and traces'] as const;
type Bill = Record<(typeof payees)[number], number>;

const internal = [
  'spendStars',
  'holdStars',
  'captureHold',
  'releaseHold',
  'applyWalletEvents',
  'putPlan',
  'provisionOrganization',
];

const secondsOf = ({ milliseconds, trips }: Cost, spend: Cost): number =>
  ((milliseconds ?? spend.milliseconds ?? 0) + trips * assumptions.roundTripMilliseconds) / 1000;

const invocation = (seconds: number): number =>
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

const billOf = (cost: Cost, spend: Cost, numbering: Cost): Bill => {
  const { read, write } = unitsOf(cost);
  const routed = !internal.includes(cost.id);
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

const secondsOfMonth = (365.25 / 12) * 24 * 3600;

const dollars = (each: number): string => (each * 1e6).toFixed(2);

const totalOf = (bill: Bill): number => Object.values(bill).reduce((a, b) => a + b, 0);

const drawn: readonly CallName[] = [
  'createLead, every field and two tags',
  'createLead, just a name',
  'updateLead, a stage',
  'deleteLead, a lead is deleted',
  'getLead, a lead',
  'listLeads, all',
  'listLeads, of a tag and an owner',
  'getBalance, what there is',
  'spendStars, a few',
];

const charted = (bills: readonly [CallName, Bill][]): Chart => {
  const shown = bills.filter(([name]) => drawn.includes(name)).reverse();
  return {
    file: 'money',
    alt: 'Dollars for a million calls, by who is paid',
    height: 440,
    option: {
      xAxis: {
        type: 'value',
        name: 'dollars for a million calls',
        nameLocation: 'middle',
        nameGap: 28,
      },
      yAxis: { type: 'category', data: shown.map(([name]) => name) },
      series: payees.map((payee) => ({
        name: payee,
        type: 'bar' as const,
        stack: 'dollars',
        data: shown.map(([, bill]) => Number(dollars(bill[payee]))),
      })),
    },
  };
};

/** What a million of each call cost, by list prices. */
export const money = async (progress: Progress): Promise<Section> => {
  const costs = await callCosts(progress);
  const named = (name: CallName) => costNamed(costs, name);
  const spend = named('spendStars, a few');
  const numbering = named('numberChanges, a new lead');
  const bills = pricedCalls.map((name): [CallName, Bill] => [
    name,
    billOf(named(name), spend, numbering),
  ]);
  const kilobytes = storedBytes(named('createLead, every field and two tags')) / 1000;
  const monthly = prices.tableGigabyteMonths + prices.backupGigabyteMonths;
  return {
    title: 'Money',
    result: resultOf(bills),
    goals: [],
    content: [
      `US dollars for a million of each call: [what was measured](capacity.md), at the list prices of
\`test/bench/prices.ts\` (us-east-1, on demand, no free tier, as of ${prices.asOf}; check them). The
time of a function is the time that it took here, and ${assumptions.roundTripMilliseconds} ms for each round trip, at ${assumptions.functionGigabytes} GB. \`events\` is the number of
each change, the function that publishes it, and the bus. In AWS, a function of that size has little more than half a core.
So its part can be twice as much, and is still small. Traces are X-Ray's share of ${100 * assumptions.tracedShare} %; the one that it takes each second
before is up to ${Math.round(secondsOfMonth * prices.tracesRecorded)} dollars a month, however few the calls.`,
      table(
        ['a million of', ...payees, 'dollars'],
        bills.map(([name, bill]) => [
          name,
          ...payees.map((payee) => dollars(bill[payee])),
          `**${dollars(totalOf(bill))}**`,
        ]),
      ),
      charted(bills),
      `**Where it goes.** ${remarks(bills)}

**Storage.** A lead with every field and two tags takes about ${kilobytes.toFixed(1)} KB: itself, a copy in each of five indexes
and under each tag, its history and its guards, and for each of these 100 bytes that DynamoDB adds. A million of them
cost ${(kilobytes * monthly).toFixed(2)} dollars a month, with backups to any second.`,
    ],
  };
};

const resultOf = (bills: readonly [CallName, Bill][]): string => {
  const of = (wanted: CallName) => dollars(totalOf(bills.find(([name]) => name === wanted)![1]));
  return `A million new leads with every field and two tags cost ${of('createLead, every field and two tags')} dollars, a million lists
  ${of('listLeads, all')}, a million balances ${of('getBalance, what there is')}.`;
};

/** Of a lead and all of its copies, by the sizes of what was answered. */
const storedBytes = ({ answerBytes, written, write }: Cost): number => {
  const copies = written.filter((kind) => ['LEADS', 'TAG'].includes(kind)).length;
  const indexes = Object.keys(write).length - 1;
  const others = written.length - copies;
  return (copies + indexes) * (answerBytes + 100) + others * (answerBytes / 2 + 100);
};

const share = (bill: Bill, ...names: (keyof Bill)[]): string => {
  const part = names.reduce((sum, name) => sum + bill[name], 0);
  return `${Math.round((100 * part) / totalOf(bill))} %`;
};

const remarks = (bills: readonly [CallName, Bill][]): string => {
  const bill = (name: CallName) => bills.find(([other]) => other === name)![1];
  const [create, list, ten] = [
    bill('createLead, every field and two tags'),
    bill('listLeads, all'),
    bill('createLeads, ten with email and owner'),
  ];
  const each = dollars(totalOf(ten) / 10);
  return `The gateway is ${share(list, 'gateway')} of a list and ${share(create, 'gateway')} of a create, whose writes are ${share(create, 'writes')}. A batch of ten
pays for gateway and function once: ${each} dollars for a million leads.`;
};
