import { simulateSpends } from '../../unit/billing/writer/spend-simulation.ts';
import { type Goal, type Progress, type Section, table } from '../section.ts';

const [seed, seconds] = [20_261_121, 100];

/** Spends that come, and the milliseconds that ninety-nine of a hundred requests may take. */
const loads: { perSecond: number; batchSize: number; mostMs?: number }[] = [
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

/** What one wallet and one organization can take, simulated. */
export const manyAtOnce = async (progress: Progress): Promise<Section> => {
  process.env.TABLE_NAME ??= 'Simulated';
  const rows: (string | number)[][] = [];
  const goals: Goal[] = [];
  for (const { perSecond, batchSize, mostMs } of loads) {
    const atOnce = batchSize > 1 ? `, ${batchSize} at once` : '';
    const what = `${perSecond} spends${atOnce}`;
    progress(what);
    const { tookMs, refused } = await simulateSpends(perSecond, seconds, seed, batchSize);
    const p99 = Math.round(tookMs[Math.floor(tookMs.length * 0.99)]!);
    const share = (100 * refused) / (refused + tookMs.length);
    rows.push([what, `${share.toFixed(1)} %`, p99]);
    if (mostMs === undefined) continue;
    const holds = p99 <= mostMs && refused === 0;
    const goal = `${perSecond} spends a second${atOnce}, p99 ${mostMs} ms`;
    goals.push({ goal, measured: String(p99), holds });
  }
  return {
    title: 'One organization',
    goals,
    content: [
      `The service's own code in virtual time (\`npm run bench -- --only wallet\`, seed ${seed}): a transaction takes 12 ms, a read 5;
transactions that meet are refused, and tried again.`,
      table(['come a second', 'refused', 'p99, ms'], rows),
      `A partition takes ${partitionUnits.toLocaleString('en')} write units a second. A spend takes ${spendUnits} at the ledger's end: ${partitionUnits / spendUnits} a second. A new lead takes
${leadUnits} at its list's: ${partitionUnits / leadUnits} a second.`,
    ],
  };
};
