import { type Chart, type Progress, type Section, table } from '../section.ts';
import type { Outcome } from './arrivals.ts';
import { type Design, simulateCreates } from './creates.ts';
import {
  createUnits,
  fullCreateUnits,
  limits,
  patience,
  readMilliseconds,
  transactionMilliseconds,
} from './limits.ts';
import { mergedPage } from './merged-page.ts';
import { simulateSpends } from './spends.ts';

const seed = 20_261_121;
const rates = [100, 200, 300, 400, 500, 600, 1000, 2000, 5000];
const wantedRate = 5000;
const spendRates = [10, 20, 30, 40, 50, 60, 80, 100, 200];

const today: Design = { name: 'as it is', lists: 1, counters: 10, counterPartitions: 1 };
const designs: Design[] = [
  today,
  { name: '100 counters', lists: 1, counters: 100, counterPartitions: 10 },
  { name: 'lists in 16, 800 counters', lists: 16, counters: 800, counterPartitions: 16 },
];

/** Goes on without refusing more than one of a thousand. */
const bears = ({ refused }: Outcome): boolean => refused < 0.1;

const ceilingOf = (outcomes: Map<number, Outcome>): number =>
  Math.max(0, ...rates.filter((rate) => bears(outcomes.get(rate)!)));

/** What one organization and the whole table can take, on paper and simulated. */
export const scale = async (progress: Progress): Promise<Section> => {
  progress.expect(designs.length);
  const measured = new Map<Design, Map<number, Outcome>>();
  for (const design of designs) {
    progress.step(design.name);
    const outcomes = rates.map((rate) => [rate, simulateCreates(design, rate, seed)] as const);
    measured.set(design, new Map(outcomes));
  }
  const ceiling = ceilingOf(measured.get(today)!);
  const spends = new Map(spendRates.map((rate) => [rate, simulateSpends(rate, seed)]));
  return {
    title: 'Scale',
    result: `By simulation, one organization takes ${ceiling} new leads a second, and one wallet ${lastWithoutRefusal(spends)} spends. Organizations do not limit one another.`,
    goals: [
      {
        goal: `one organization takes ${wantedRate} new leads a second`,
        measured: `${ceiling} before refusals; ${ceilingOf(measured.get(designs.at(-1)!)!)} with lists and counters divided`,
        holds: ceiling >= wantedRate,
      },
    ],
    content: [onPaper(), simulated(measured), chartOf(measured), oneWallet(spends), divided()],
  };
};

const onPaper = (): string => {
  const byLead = limits.writeUnitsASecond / createUnits.lead;
  const pages = Math.floor(limits.readUnitsASecond / 3);
  const rows = [
    [
      'the end of the organization’s leads',
      createUnits.lead,
      byLead,
      'no: new leads are always at its end',
    ],
    ['the end of a pipeline’s index', createUnits.index, limits.writeUnitsASecond, 'no, likewise'],
    [
      'the end of the index of its first stage',
      createUnits.index,
      limits.writeUnitsASecond,
      'no, likewise',
    ],
    [
      'the end of an owner’s index',
      createUnits.index,
      `${limits.writeUnitsASecond} of one owner`,
      'no, likewise',
    ],
    [
      'the end of the list of a tag, or of a custom field’s value',
      2,
      `${byLead} of one tag or value`,
      'no, likewise',
    ],
    [
      'the words that begin with one character',
      '2 each',
      `${byLead} such words`,
      'yes, down to single words',
    ],
    [
      'the end of one word, as of a domain of email addresses',
      2,
      `${byLead} of one word`,
      'no: new leads are always at its end',
    ],
    ['the counters of a pipeline', createUnits.count, byLead, 'yes, down to single counters'],
    ['one counter', createUnits.count, byLead, 'no: it is one item'],
    ['history, guards, records of keys', 2, 'no limit', 'a partition key of its own for each'],
  ];
  return `## On paper

A partition takes ${limits.writeUnitsASecond} write and ${limits.readUnitsASecond} read units a second. DynamoDB splits a hot one. But a split does not help
where everything new comes to the end. And an index with a full partition holds back the writes of the table. So each
item that a create writes has a limit, by where it is:

${table(['where', 'write units', 'creates a second', 'helped by a split'], rows)}

So one organization takes ${byLead} new leads a second at most, whatever its number of pipelines. A tag that every
lead has, a word that each name or address has, or a pipeline that is the only one, has the same limit. Before its partition
is split, a character has it with all of its words: three words of a lead that begin alike are ${Math.floor(byLead / 3)} leads a second. Bursts may go above it for a while, as DynamoDB lends a
partition what it did not use, but nothing here counts on that. Changes have the same limit only where all are of the
newest leads: older leads are spread over the splits.

The newest page of each list can be read ${pages} times a second (3 of ${limits.readUnitsASecond} units each). The lists of other
pipelines, owners and tags have partitions of their own.

The whole table has quotas, which AWS raises on request: ${limits.tableUnitsASecond.toLocaleString('en')} write units a second are ${Math.floor(limits.tableUnitsASecond / fullCreateUnits.table).toLocaleString('en')} creates with
every field and two tags (${fullCreateUnits.table} of their ${fullCreateUnits.table + fullCreateUnits.indexes} units; each index has a quota of its own). The stage of the API lets through 5,000 requests a second (\`infra/api.ts\`), and each can be a
batch of 100. Organizations do not limit one another: no partition belongs to two of them.`;
};

const simulated = (measured: Map<Design, Map<number, Outcome>>): string => {
  const rows = rates.map((rate) => [
    rate,
    ...[...measured.values()].map((outcomes) => {
      const { done, refused, p99 } = outcomes.get(rate)!;
      return `${done.toFixed(0)} · ${refused.toFixed(1)} % · ${p99}`;
    }),
  ]);
  return `## Simulated

Creates come at random times into one stage of one pipeline (\`test/bench/scale/creates.ts\`, seed ${seed}).
The simulation has partitions that fill and empty, transactions that conflict on a counter, and repeats with the waits of
\`lib/table/retry.ts\` for ${patience / 1000} s. It assumes that a transaction is under way for ${transactionMilliseconds} ms. Each cell has: leads created a second, the share that was refused
(\`write_conflict\` or \`unavailable\`, both safe to repeat), and the milliseconds within which 99 of 100 were done.

${table(['leads that come a second', ...designs.map(({ name }) => name)], rows)}

The ten counters of a stage are the first limit, not the partitions. From 300 leads a second on, so many transactions meet
on a counter that one in a hundred takes as long as the table says, though none is refused. At
${limits.writeUnitsASecond / createUnits.lead} a second, the partition of the organization’s leads is full. Whatever comes beyond that is refused, after all
repeats. More counters would make a summary more expensive to read and a stage harder to remove: all of its counters are closed
in one transaction, of at most 100 items.`;
};

const chartOf = (measured: Map<Design, Map<number, Outcome>>): Chart => ({
  file: 'scale',
  alt: 'Of a hundred new leads, how many are refused, by how many come a second',
  option: {
    grid: { bottom: 40 },
    xAxis: {
      type: 'category',
      data: rates,
      name: 'new leads that come a second',
      nameLocation: 'middle',
      nameGap: 30,
    },
    yAxis: { type: 'value', name: 'refused, %', max: 100 },
    series: [...measured].map(([{ name }, outcomes]) => ({
      name,
      type: 'line' as const,
      symbolSize: 8,
      data: rates.map((rate) => Number(outcomes.get(rate)!.refused.toFixed(1))),
    })),
  },
});

/** The most spends a second of which none is refused, of those that were tried. */
const lastWithoutRefusal = (spends: ReadonlyMap<number, Outcome>): number =>
  Math.max(0, ...[...spends].filter(([, { refused }]) => refused === 0).map(([rate]) => rate));

const oneWallet = (spends: ReadonlyMap<number, Outcome>): string => {
  const rows = [...spends].map(([rate, { done, refused, p99 }]) => [
    rate,
    done.toFixed(0),
    `${refused.toFixed(1)} %`,
    p99,
  ]);
  const most = Math.floor(1000 / (readMilliseconds + transactionMilliseconds));
  return `## One wallet

Each spend stands on the wallet that it read, and DynamoDB refuses transactions that meet. So spends of one wallet are done
one after the other: ${most} a second at most, if reading takes ${readMilliseconds} ms and the transaction ${transactionMilliseconds}. Simulated likewise
(\`test/bench/scale/spends.ts\`), single spends come at random times:

${table(['spends that come a second', 'done a second', 'refused', 'ms of 99 in 100'], rows)}

Up to ${lastWithoutRefusal(spends)} a second, all are done. What is refused then is \`write_conflict\`, and safe to repeat. Holds, captures and other
events of the wallet count as spends do.`;
};

const divided = (): string => {
  const rows = [1, 2, 4, 8, 16, 32].map((partitions) => {
    const { units, trips } = mergedPage(partitions, seed);
    return [
      partitions,
      units.toFixed(1),
      trips.toFixed(2),
      (partitions * 500).toLocaleString('en'),
    ];
  });
  return `## Past it

Each list could be divided into several partitions, by a digest of the lead’s id. That lets in as many times more leads,
at the same write units. A page then has to be merged from all partitions (\`test/bench/scale/merged-page.ts\`):

${table(['partitions of a list', 'read units of a page', 'round trips', 'creates a second'], rows)}

So ${wantedRate.toLocaleString('en')} new leads a second would cost one organization 16 partitions of each list, 800 counters of a stage in 16
partitions, and 8 read units for a page of 50 instead of 3. That is 0.63 dollars more for a million pages, and nothing
more for a lead. A summary would read 800 items of a stage, and removing a stage would need more than one transaction.
Whoever lists has to know the number of partitions. It can be in the organization’s item, which is read at the same time
as the first partition, so that an organization with one partition pays nothing. Ids begin with a time, so the number
can change from one moment on, and older leads stay where they are. This is not built. It is for an organization with
over 15 million new leads a day, and can be added without moving a lead.`;
};
