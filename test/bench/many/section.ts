import { LimitedSimulation } from '../../unit/billing/limits/limited-simulation.ts';
import { type Load, mixed, spendsOf } from '../../unit/billing/writer/wallet-load.ts';
import { percentile, walletWith } from '../../unit/billing/writer/wallet-simulation.ts';
import { type Goal, type Progress, type Section, table } from '../section.ts';

const [seed, seconds] = [20_261_121, 100];
/** More stars than are spent here. */
const many = 1_000_000;

/** Requests that come to one wallet. */
interface Coming {
  what: string;
  load: Load;
  perSecond: number;
  /** Packs with an expiry each that the wallet has. */
  packs?: number;
  /** Whether a limit counts its spender, and another one its feature. */
  isLimited?: boolean;
  /** The milliseconds that ninety-nine of a hundred may take, where that is a goal. */
  mostMs?: number;
}

const spends = (perSecond: number): Coming => ({
  what: `${perSecond} spends`,
  load: spendsOf(1),
  perSecond,
});
const limitedSpends = (perSecond: number): Coming => ({
  what: `${perSecond} spends, 2 limits`,
  load: spendsOf(1, { spender: 'agent-7', feature: 'search' }),
  perSecond,
  isLimited: true,
});
const batches = (perSecond: number): Coming => ({
  what: `${perSecond} spends, 25 at once`,
  load: spendsOf(25),
  perSecond: perSecond / 25,
});

const all: Coming[] = [
  { ...spends(20), mostMs: 250 },
  { ...spends(80), mostMs: 250 },
  { ...spends(200), mostMs: 250 },
  { what: '200 of all kinds', load: mixed, perSecond: 200, mostMs: 400 },
  { ...batches(200), mostMs: 250 },
  limitedSpends(20),
  limitedSpends(80),
  { ...spends(80), what: '80 spends, 30 packs', packs: 30 },
  { ...spends(30), what: '30 spends, 100 packs', packs: 100 },
];

/** DynamoDB's documented limit of one partition, a second. */
const partitionUnits = 1000;
/** What goes to the end of the ledger for a spend: its entry, and later the entry's number. */
const spendUnits = 4;
/** What goes to the end of the organization's list for a lead. */
const leadUnits = 2;

const measure = async (coming: Coming, progress: Progress, forSeconds = seconds) => {
  process.env.TABLE_NAME ??= 'Simulated';
  progress(coming.what);
  const { load, perSecond, packs = 0 } = coming;
  const limits = coming.isLimited ? { 'spender/agent-7': many, 'feature/search': many } : {};
  const simulation = new LimitedSimulation(seed, limits, walletWith(packs));
  const outcome = await simulation.run({ load, perSecond, seconds: forSeconds, seed });
  const refused = Object.values(outcome.refused).reduce((sum, count) => sum + count, 0);
  const share = (100 * refused) / (refused + outcome.tookMs.length);
  const [p50, p99] = [percentile(outcome, 0.5), percentile(outcome, 0.99)];
  const row = [coming.what, `${share.toFixed(1)} %`, p50, p99, outcome.unitsOfUpdate.toFixed(1)];
  return { p99, refused, row };
};

const tableOf = (rows: (string | number)[][]): string =>
  table(['come a second', 'refused', 'p50, ms', 'p99, ms', 'units written for each'], rows);

/** More than a wallet takes, singly. */
export const mostPerSecond = 300;
/** Beyond what a wallet takes, each request is tried again and again: so many take ten seconds. */
const mostRequests = 4000;

/** What one wallet makes of so many spends a second: one at a time, and 25 at once. */
export const atRate = async (perSecond: number, progress: Progress): Promise<string> => {
  const forSeconds = Math.min(seconds, mostRequests / perSecond);
  const rows: (string | number)[][] = [];
  for (const coming of [spends(perSecond), batches(perSecond)]) {
    rows.push((await measure(coming, progress, forSeconds)).row);
  }
  return tableOf(rows);
};

/** What one wallet and one organization can take, simulated. */
export const manyAtOnce = async (progress: Progress): Promise<Section> => {
  const rows: (string | number)[][] = [];
  const goals: Goal[] = [];
  for (const coming of all) {
    const { p99, refused, row } = await measure(coming, progress);
    rows.push(row);
    const { what, mostMs } = coming;
    if (mostMs === undefined) continue;
    const goal = `${what} a second, p99 ${mostMs} ms`;
    goals.push({ goal, measured: String(p99), holds: p99 <= mostMs && refused === 0 });
  }
  return {
    title: 'One organization',
    goals,
    content: [
      `The service's own code in virtual time (\`npm run bench -- --only wallet --rate N\` tries N a second, seed ${seed}): a transaction takes 12 ms, a read 5;
transactions that meet are refused, and so is what a partition can't take: ${partitionUnits.toLocaleString('en')} units written and 3,000 read a second. Units count failed
transactions and the numbers of entries.`,
      tableOf(rows),
      `A spend takes ${spendUnits} units at the ledger's end: at most ${partitionUnits / spendUnits} a second; entries of a wallet with many packs are larger. A new lead takes
${leadUnits} at its list's: ${partitionUnits / leadUnits} a second.`,
    ],
  };
};
