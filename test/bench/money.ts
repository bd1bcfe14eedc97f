import type { Cost } from '../cost/measure.ts';
import { unitsOf } from '../cost/measure.ts';
import { callCosts } from './calls/costs.ts';
import { assumptions, prices } from './prices.ts';
import { type Chart, type Progress, type Section, table } from './section.ts';

/** Who is paid for a call. */
const payees = ['gateway', 'function', 'reads', 'writes', 'events', 'logs and traces'] as const;
type Bill = Record<(typeof payees)[number], number>;

/** What is called over the API or invoked for a purpose of its own, one of each operation. */
const priced = [
  'createLead, every field and two tags',
  'createLead, just a name',
  'createLeads, ten with email and owner',
  'getLead',
  'listLeads',
  'listLeads of a pipeline, stage and owner',
  'listLeads of a stage in two pipelines',
  'listLeads of a tag and an owner',
  'updateLead, a stage',
  'deleteLead',
  'listLeadHistory',
  'listPipelines',
  'getPipeline',
  'getPipelineSummary',
  'createPipeline',
  'updatePipeline, a name',
  'listMembers',
  'putMember',
  'deleteMember',
  'getBalance',
  'listBillingHistory',
  'listPlans',
  'spendStars',
  'applyWalletEvents, one event',
  'putPlan',
  'provisionOrganization',
];

const internal = ['spendStars', 'applyWalletEvents', 'putPlan', 'provisionOrganization'];

const secondsOf = ({ milliseconds, trips }: Cost, spend: Cost): number =>
  ((milliseconds ?? spend.milliseconds ?? 0) + trips * assumptions.roundTripMilliseconds) / 1000;

const invocation = (seconds: number): number =>
  prices.lambdaRequests + seconds * assumptions.functionGigabytes * prices.lambdaGigabyteSeconds;

/** Each item of the outbox gets its number, and is an event: by the pipe, which has it described, to the bus. */
const eventsOf = ({ id, written }: Cost, numbering: Cost): number => {
  const items = written.filter((kind) => ['HISTORY', 'LEDGER', 'NOTICE'].includes(kind)).length;
  const { read, write } = unitsOf(numbering);
  const numbered =
    read * prices.readUnits +
    write * prices.writeUnits +
    invocation(secondsOf(numbering, numbering));
  const out = items * (numbered + prices.pipeRequests + invocation(0.005) + prices.busEvents);
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

const dollars = (each: number): string => (each * 1e6).toFixed(2);

const totalOf = (bill: Bill): number => Object.values(bill).reduce((a, b) => a + b, 0);

const drawn = [
  'createLead, every field and two tags',
  'createLead, just a name',
  'updateLead, a stage',
  'deleteLead',
  'getLead',
  'listLeads',
  'listLeads of a tag and an owner',
  'getBalance',
  'spendStars',
];

const charted = (bills: readonly [string, Bill][]): Chart => {
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
  const named = (name: string) => costs.find((cost) => cost.name === name)!;
  const spend = named('spendStars');
  const numbering = named('numberChanges, a new lead');
  const bills = priced.map((name): [string, Bill] => [name, billOf(named(name), spend, numbering)]);
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
each change, the pipe, its function and the bus. In AWS, a function of that size has little more than half a core.
So its part can be twice as much, and is still small.`,
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

const resultOf = (bills: readonly [string, Bill][]): string => {
  const of = (wanted: string) => dollars(totalOf(bills.find(([name]) => name === wanted)![1]));
  return `A million new leads with every field and two tags cost ${of('createLead, every field and two tags')} dollars, a million lists
  ${of('listLeads')}, a million balances ${of('getBalance')}.`;
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

const remarks = (bills: readonly [string, Bill][]): string => {
  const bill = (name: string) => bills.find(([other]) => other === name)![1];
  const [create, list, ten] = [
    bill('createLead, every field and two tags'),
    bill('listLeads'),
    bill('createLeads, ten with email and owner'),
  ];
  const each = dollars(totalOf(ten) / 10);
  return `The gateway is ${share(list, 'gateway')} of a list and ${share(create, 'gateway')} of a create, whose writes are ${share(create, 'writes')}. A batch of ten
pays for gateway and function once: ${each} dollars for a million leads.`;
};
