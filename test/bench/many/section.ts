import { type Progress, type Section, table } from '../section.ts';
import type { Outcome } from './arrivals.ts';
import { type Design, simulateCreates } from './creates.ts';
import {
  createUnits,
  limits,
  patience,
  readMilliseconds,
  transactionMilliseconds,
} from './limits.ts';
import { simulateSpends } from './spends.ts';

const seed = 20_261_121;
const spendRates = [40, 80];
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

/** What one wallet and one organization can take, simulated. */
export const manyAtOnce = async (progress: Progress): Promise<Section> => {
  progress.expect(2);
  progress.step('spends of one wallet');
  const spends = spendRates.map((rate): [number, Outcome] => [rate, simulateSpends(rate, seed)]);
  progress.step('creates of one organization');
  const creates = createRates.map((rate): [number, Outcome] => [
    rate,
    simulateCreates(design, rate, seed),
  ]);
  const atMost = Math.floor(1000 / (readMilliseconds + transactionMilliseconds));
  return {
    title: 'One organization',
    result: `By simulation, one wallet takes ${ceilingOf(spends)} spends a second, one organization ${ceilingOf(creates)} new leads.
  Others are not limited by it.`,
    goals: [],
    content: [
      `Simulated (\`test/bench/many/\`, seed ${seed}): partitions of ${limits.writeUnitsASecond.toLocaleString('en')} write units a second, transactions of ${transactionMilliseconds} ms that are
refused where they meet, retries for ${patience / 1000} s. What is refused then is safe to repeat.`,
      table(
        ['come a second', 'done a second', 'refused', 'p99, ms'],
        [
          ...spends.map(([rate, one]) => rowOf(`${rate} spends`, one)),
          ...creates.map(([rate, one]) => rowOf(`${rate} new leads`, one)),
        ],
      ),
      `A wallet's changes follow one another: ${atMost} a second at most. New leads all go to the end of the organization's list,
${createUnits.lead} units each, which no split helps; so do those with a tag or word in common.`,
    ],
  };
};
