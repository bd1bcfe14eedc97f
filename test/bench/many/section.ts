import { type Goal, type Progress, type Section, table } from '../section.ts';
import type { Outcome } from './arrivals.ts';
import { type Design, simulateCreates } from './creates.ts';
import {
  createUnits,
  itemMilliseconds,
  limits,
  patience,
  readMilliseconds,
  spendUnits,
  transactionMilliseconds,
} from './limits.ts';
import { simulateSpends, transactionOf } from './spends.ts';

const seed = 20_261_121;
const spendRates = [20, 40, 80];
const batchSize = 25;
const batchRates = [200, 250];
/** Milliseconds that ninety-nine of a hundred may take, one by one and in batches. */
const goals = { one: { rate: 20, p99: 500 }, batch: { rate: 200, p99: 1000 } };
const createRates = [500, 600];

const design: Design = { name: 'as it is', lists: 1, counters: 10, counterPartitions: 1 };

const rowOf = (what: string, { done, refused, p99 }: Outcome) => [
  what,
  done.toFixed(0),
  `${refused.toFixed(1)} %`,
  p99,
];

/** Goes on without refusing more than one of a thousand. */
const ceilingOf = (outcomes: [rate: number, Outcome][]): number =>
  Math.max(0, ...outcomes.filter(([, { refused }]) => refused < 0.1).map(([rate]) => rate));

const goalOf = (
  what: string,
  { rate, p99 }: { rate: number; p99: number },
  outcomes: [rate: number, Outcome][],
): Goal => {
  const [, outcome] = outcomes.find(([one]) => one === rate)!;
  return {
    goal: `${rate} ${what}, p99 ${p99} ms`,
    measured: String(outcome.p99),
    holds: outcome.p99 <= p99 && outcome.refused === 0,
  };
};

/** What one wallet and one organization can take, simulated. */
export const manyAtOnce = async (progress: Progress): Promise<Section> => {
  progress.expect(3);
  progress.step('spends of one wallet');
  const spends = spendRates.map((rate): [number, Outcome] => [rate, simulateSpends(rate, 1, seed)]);
  progress.step('batches of one wallet');
  const batches = batchRates.map((rate): [number, Outcome] => [
    rate,
    simulateSpends(rate, batchSize, seed),
  ]);
  progress.step('creates of one organization');
  const creates = createRates.map((rate): [number, Outcome] => [
    rate,
    simulateCreates(design, rate, seed),
  ]);
  const atMost = Math.floor(1000 / (readMilliseconds + transactionOf(1)));
  return {
    title: 'One organization',
    result: `By simulation, one wallet takes ${ceilingOf(spends)} spends a second, ${ceilingOf(batches)} in batches of ${batchSize}; one
  organization ${ceilingOf(creates)} new leads.`,
    goals: [
      goalOf('spends a second', goals.one, spends),
      goalOf(`spends a second, ${batchSize} at once`, goals.batch, batches),
    ],
    content: [
      `Simulated (\`npm run bench -- --only wallet\`, seed ${seed}): partitions of ${limits.writeUnitsASecond.toLocaleString('en')} write units a second, transactions of ${transactionMilliseconds} ms (a
wallet's: plus ${itemMilliseconds} an item), refused where they meet, retries for ${patience / 1000} s.`,
      table(
        ['come a second', 'done a second', 'refused', 'p99, ms'],
        [
          ...spends.map(([rate, one]) => rowOf(`${rate} spends`, one)),
          ...batches.map(([rate, one]) => rowOf(`${rate} spends, ${batchSize} at once`, one)),
          ...creates.map(([rate, one]) => rowOf(`${rate} new leads`, one)),
        ],
      ),
      `One wallet takes ${atMost} transactions a second. An entry and its number take ${spendUnits.entry + spendUnits.number} units at the ledger's end, a new
lead ${createUnits.lead} at its list's.`,
    ],
  };
};
