import { type Chart, type Progress, type Section, table } from '../section.ts';
import { type Design, type Outcome, simulate } from './creates.ts';
import { createUnits, limits, patience, transactionMilliseconds } from './limits.ts';
import { mergedPage } from './merged-page.ts';

const seed = 20_261_121;
const rates = [100, 200, 300, 400, 500, 600, 1000, 2000, 5000];
const wantedRate = 5000;

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
    const outcomes = rates.map((rate) => [rate, simulate(design, rate, seed)] as const);
    measured.set(design, new Map(outcomes));
  }
  const ceiling = ceilingOf(measured.get(today)!);
  return {
    title: 'Scale',
    goals: [
      {
        goal: `one organization takes ${wantedRate} new leads a second`,
        measured: `${ceiling} before refusals; ${ceilingOf(measured.get(designs.at(-1)!)!)} with lists and counters divided`,
        holds: ceiling >= wantedRate,
      },
    ],
    content: [onPaper(), simulated(measured), chartOf(measured), divided()],
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
    ['the end of a tag’s list', 2, `${byLead} of one tag`, 'no, likewise'],
    ['the counters of a pipeline', createUnits.count, byLead, 'yes, down to single counters'],
    ['one counter', createUnits.count, byLead, 'no: it is one item'],
    ['history, guards, records of keys', 2, 'no limit', 'a partition key of its own for each'],
  ];
  return `### On paper

A partition takes ${limits.writeUnitsASecond} write and ${limits.readUnitsASecond} read units a second. DynamoDB splits one that is hot, but it
can’t usefully split one in which everything new comes to the end; and an index whose partition is full
holds back the writes of the table. So what a create writes is limited by where it ends:

${table(['where', 'write units', 'creates a second', 'helped by a split'], rows)}

So one organization takes ${byLead} new leads a second at most, whatever its number of pipelines: a tag that every
lead has, and a pipeline that is the only one, come to the same. Bursts may go above for a while, as
DynamoDB lends a partition what it did not use; nothing here counts on it. Changes of leads are limited in
the same way only if all are of the newest leads: those of older leads are spread over the splits.

Of the newest page, ${pages} a second can be read of each list (3 of ${limits.readUnitsASecond} units each); the lists of other
pipelines, owners and tags have partitions of their own.

The whole table is limited by quotas, which AWS raises: ${limits.tableUnitsASecond.toLocaleString('en')} write units a second are ${Math.floor(limits.tableUnitsASecond / 19).toLocaleString('en')} creates with
every field and two tags, and the stage of the API lets through 1,000 requests a second
(\`infra/api.ts\`), each of which can be a batch of 100. Organizations do not limit one another: no partition
is of two of them.`;
};

const simulated = (measured: Map<Design, Map<number, Outcome>>): string => {
  const rows = rates.map((rate) => [
    rate,
    ...[...measured.values()].map((outcomes) => {
      const { created, refused, p99 } = outcomes.get(rate)!;
      return `${created.toFixed(0)} · ${refused.toFixed(1)} % · ${p99}`;
    }),
  ]);
  return `### Simulated

Creates that come at random into one stage of one pipeline (\`test/bench/scale/creates.ts\`, seed ${seed}):
partitions that fill and empty, transactions that conflict on a counter, and attempts with the waits of
\`lib/table/retry.ts\` for ${patience / 1000} s. Assumed is that a transaction is under way for ${transactionMilliseconds} ms. In each cell: created a second, refused
(\`write_conflict\` or \`unavailable\`, both safe to repeat), and the milliseconds that 99 of 100 took.

${table(['leads that come a second', ...designs.map(({ name }) => name)], rows)}

What shows first are not the partitions but the ten counters of a stage: from 300 leads a second on, so many
transactions meet on a counter that one in a hundred takes as long as stands there, though none is refused. At
${limits.writeUnitsASecond / createUnits.lead} the partition of the organization’s leads is full: what comes beyond is refused, after all attempts.
More counters would cost a summary more to read, and a stage more to remove: all of its counters are closed in
one transaction, of at most 100 items.`;
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
  return `### Past it

Dividing each list by a digest of the lead’s id lets as many times more leads in, at the same write units,
and a page then has to be merged from all divisions (\`test/bench/scale/merged-page.ts\`):

${table(['partitions of a list', 'read units of a page', 'round trips', 'creates a second'], rows)}

So ${wantedRate.toLocaleString('en')} new leads a second cost one organization 16 partitions of each list, 800 counters of a stage in 16
partitions, and 8 read units for a page of 50 instead of 3: 0.63 dollars more for a million pages, and
nothing more for a lead. The summary would read 800 items of a stage, and removing a stage would need more
than one transaction. Whoever lists has to know how many divisions there are: that can stand in the
organization’s item, read beside the first division, so that an organization with one pays nothing. Since
ids are times, the number can change at a moment: what is older stays where it is. This is not built: it is
for an organization with over 15 million new leads a day, and can be added without moving a lead.`;
};
