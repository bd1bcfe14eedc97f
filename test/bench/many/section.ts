import { simulateSpends } from '../../unit/billing/writer/spend-simulation.ts';
import { type Goal, type Progress, type Section, table } from '../section.ts';

const [seed, seconds] = [20_261_121, 100];

/** Spends that come, and the milliseconds that ninety-nine of a hundred requests may take. */
const loads: (Load & { mostMs?: number })[] = [
  { perSecond: 20, batchSize: 1, mostMs: 500 },
  { perSecond: 40, batchSize: 1 },
  { perSecond: 80, batchSize: 1 },
  { perSecond: 200, batchSize: 25, mostMs: 1000 },
];

/** DynamoDB's documented limit of one partition, a second. */
const partitionUnits = 1000;
/** What goes to the end of the ledger for a spend: its entry, and later the entry's number. */
const spendUnits = 4;
/** What goes to the end of the organization's list for a lead. */
const leadUnits = 2;

interface Load {
  perSecond: number;
  batchSize: number;
}

const nameOf = ({ perSecond, batchSize }: Load, unit = 'spends'): string =>
  `${perSecond} ${unit}${batchSize > 1 ? `, ${batchSize} at once` : ''}`;

const measure = async (load: Load, progress: Progress, forSeconds = seconds) => {
  process.env.TABLE_NAME ??= 'Simulated';
  progress(nameOf(load));
  const { perSecond, batchSize } = load;
  const { tookMs, refused } = await simulateSpends(perSecond, forSeconds, seed, batchSize);
  const p99 = Math.round(tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN);
  const share = (100 * refused) / (refused + tookMs.length);
  return { p99, refused, row: [nameOf(load), `${share.toFixed(1)} %`, p99] };
};

const tableOf = (rows: (string | number)[][]): string =>
  table(['come a second', 'refused', 'p99, ms'], rows);

/** One at a time, a wallet takes fewer: of more, most are refused. */
export const mostPerSecond = 200;
/** Beyond what a wallet takes, each request is tried again and again: so many take ten seconds. */
const mostRequests = 4000;

/** What one wallet makes of so many spends a second: one at a time, and 25 at once. */
export const atRate = async (perSecond: number, progress: Progress): Promise<string> => {
  const forSeconds = Math.min(seconds, mostRequests / perSecond);
  const rows: (string | number)[][] = [];
  for (const batchSize of [1, 25]) {
    rows.push((await measure({ perSecond, batchSize }, progress, forSeconds)).row);
  }
  return tableOf(rows);
};

/** What one wallet and one organization can take, simulated. */
export const manyAtOnce = async (progress: Progress): Promise<Section> => {
  const rows: (string | number)[][] = [];
  const goals: Goal[] = [];
  for (const { mostMs, ...load } of loads) {
    const { p99, refused, row } = await measure(load, progress);
    rows.push(row);
    if (mostMs === undefined) continue;
    const goal = `${nameOf(load, 'spends a second')}, p99 ${mostMs} ms`;
    goals.push({ goal, measured: String(p99), holds: p99 <= mostMs && refused === 0 });
  }
  return {
    title: 'One organization',
    goals,
    content: [
      `The service's own code in virtual time (\`npm run bench -- --only wallet --rate N\` tries N a second, seed ${seed}): a transaction takes 12 ms, a read 5;
transactions that meet are refused, and tried again.`,
      tableOf(rows),
      `A partition takes ${partitionUnits.toLocaleString('en')} write units a second. A spend takes ${spendUnits} at the ledger's end: ${partitionUnits / spendUnits} a second. A new lead takes
${leadUnits} at its list's: ${partitionUnits / leadUnits} a second.`,
    ],
  };
};
