import type { indexAttributes } from '../../../lib/table/keys.ts';
import { prices } from '../prices.ts';
import { type Chart, type Goal, type Section, table } from '../section.ts';
import type { FilterNames } from './measure.ts';
import type { Page, Traversal } from './section.ts';

interface Measured {
  pages: Page[];
  traversals: Traversal[];
  pipelines: number;
  seed: number;
}

const nameOf = (names: FilterNames): string => names.join(' + ') || 'no filter';
const isMerged = (names: FilterNames): boolean =>
  names.includes('stage') && !names.includes('pipeline');
const hasTagAmongOthers = (names: FilterNames): boolean =>
  names.length > 1 && names.includes('tag');

const number = (value: number): string => value.toLocaleString('en');

/** Lists of which each is one partition, those merged of several, and those that are searched for. */
const kinds = (pages: readonly Page[]) => ({
  single: pages.filter(({ names }) => !isMerged(names) && !hasTagAmongOthers(names)),
  merged: pages.filter(({ names }) => isMerged(names) && !hasTagAmongOthers(names)),
  searched: pages.filter(({ names }) => hasTagAmongOthers(names)),
});

export const reportLists = (measured: Measured): Section => ({
  title: 'Lists of leads',
  goals: goalsOf(measured),
  content: [
    howMeasured(measured),
    pagesTable(measured.pages),
    pagesChart(measured.pages),
    tags(measured),
    indexes(measured.pages),
  ],
});

const goalsOf = ({ pages, traversals, pipelines }: Measured): Goal[] => {
  const { single, merged, searched } = kinds(pages);
  const worst = Math.max(...single.map(({ units, floor }) => units / floor));
  const worstMerged = Math.max(...merged.map(({ units, floor }) => units / (floor * pipelines)));
  const dearest = Math.max(...searched.map(({ units }) => units));
  const longest = Math.max(...traversals.map(({ units, smallestList }) => units / smallestList));
  return [
    {
      goal: 'lists by nothing, by one filter, by any of pipeline, stage and owner: 1.3 × the floor at most, at every size',
      measured: `${worst.toFixed(2)} ×`,
      holds: worst <= 1.3,
    },
    {
      goal: 'by a stage without its pipeline: that, × the pipelines that have it',
      measured: `${worstMerged.toFixed(2)} × the floor × ${pipelines}`,
      holds: worstMerged <= 1.3,
    },
    {
      goal: 'by a tag and others: never over a request’s budget (1,000 leads examined, about 60 units)',
      measured: `${dearest} units`,
      holds: dearest <= 60,
    },
    {
      goal: 'by a tag and others, to the end: no dearer than to read the smallest list that has them all',
      measured: `up to ${longest.toFixed(2)} ×`,
      holds: longest <= 1,
    },
  ];
};

const and = (values: readonly string[]): string => new Intl.ListFormat('en-GB').format(values);

const howMeasured = ({ pages, pipelines, seed }: Measured): string => {
  const sizes = [...new Set(pages.map(({ size }) => number(size)))];
  return `The first page of 50, in organizations of ${and(sizes)} leads, asked for over the whole service
and counted by a proxy before the engine; the caller’s membership, one unit, is left out. The leads are made
by \`lib/leads/records.ts\` and loaded by the engine’s own import (seed ${seed}): ${pipelines} pipelines with five stages
each, 14 owners, five tags of which most leads have one or none. Each filter is of middling size: a pipeline
with 30 of a hundred leads, a stage with 15, an owner with 7, a tag with 20.

**Floor**: the bytes that are answered, at 4 KB for half a unit. **Usual way**: one partition with all leads
and a \`FilterExpression\`, read until 51 are found.`;
};

const pagesTable = (pages: readonly Page[]): string => {
  const sizes = [...new Set(pages.map(({ size }) => size))];
  const largest = sizes.at(-1);
  const rows = pages
    .filter(({ size }) => size === largest)
    .map(({ names, floor, units, usual }) => {
      const ofSize = (size: number) =>
        pages.find((page) => page.size === size && nameOf(page.names) === nameOf(names))!;
      return [
        nameOf(names),
        ...sizes.map((size) => ofSize(size).units),
        floor,
        (units / floor).toFixed(2),
        usual,
        `${Math.round(usual / units)} ×`,
      ];
    });
  const header = ['filters', ...sizes.map(number), 'floor', 'units / floor', 'usual way', 'saved'];
  return `Read units, floor and usual way at ${number(largest ?? 0)} leads:\n\n${table(header, rows)}

Where a smaller organization has less than a page of a list, its page costs less.`;
};

const pagesChart = (pages: readonly Page[]): Chart => {
  const largest = Math.max(...pages.map(({ size }) => size));
  const shown = pages.filter(({ size }) => size === largest).reverse();
  return {
    file: 'lists',
    alt: 'Read units of the first page by each combination of filters, beside the floor and the usual way',
    height: 620,
    option: {
      grid: { bottom: 40 },
      xAxis: {
        type: 'log',
        min: 1,
        name: `read units, at ${number(largest)} leads`,
        nameLocation: 'middle',
        nameGap: 28,
      },
      yAxis: { type: 'category', data: shown.map(({ names }) => nameOf(names)) },
      series: [
        { name: 'floor', type: 'bar', data: shown.map(({ floor }) => floor) },
        { name: 'this service', type: 'bar', data: shown.map(({ units }) => units) },
        { name: 'usual way', type: 'bar', data: shown.map(({ usual }) => usual) },
      ],
    },
  };
};

/** Measured at 10,000 leads with the code before the choice of lists: it read the first tag’s list. */
const before: Record<string, [pages: number, units: number]> = {
  'pipeline + tag': [13, 128.5],
  'stage + tag': [7, 119.5],
  'pipeline + stage + tag': [2, 84],
  'owner + tag': [3, 97],
  'pipeline + owner + tag': [2, 84],
  'stage + owner + tag': [2, 84],
  'pipeline + stage + owner + tag': [2, 84],
};
const beforeSize = 10_000;

const tags = ({ traversals }: Measured): string => {
  const rows = traversals.map((traversal) => {
    const { size, names, leads, pages, queries, units, dearestPage, smallestList } = traversal;
    const name = nameOf(names);
    const [pagesThen = '', then = ''] = size === beforeSize ? (before[name] ?? []) : [];
    const times = (units / smallestList).toFixed(2);
    const now = [units, pages, queries, dearestPage, times];
    return [name, number(size), leads, smallestList, then, pagesThen, ...now];
  });
  const header = [
    'filters',
    'in',
    'leads',
    'smallest list',
    'units before',
    'pages before',
    'units',
    'pages',
    'queries',
    'dearest page',
    'units / smallest',
  ];
  return `### A tag among other filters

No index has tags in it: a lead has up to 20, and each would need entries of its own in every index, one to
three write units for each tag of each lead, for combinations that are seldom asked for. So such a list is
searched for in another one: by its fields, or by any of its tags. Which of these has the fewest leads to
drop is seen by reading up to 50 leads of each: the one that came farthest back. The cursor keeps the
choice while it pays. Before, the first tag’s list was read, 250 at a time. All leads of each list, read to
the end:

${table(header, rows)}

What is left above the smallest list, and why the goal can’t hold to the letter:

- **Rounding.** DynamoDB rounds each query up to half a unit, a quarter on average. To read the smallest list
  whole takes a query for each megabyte; pages of 50 leads take as many as stand above. That is most of it.
- **The look at the other lists**, once in a list: it is what counts in the shortest ones.
- **Ends of pages.** What is read beyond a full page is read again for the next, so pages are not quite full.
- **A stage of all pipelines** has a list in each, which are searched side by side, each by as much as it has
  leads in the same time, so that all come down to about the same moment. When each was read by as much
  as the others, and what some had beyond was dropped and read again, \`stage + owner + tag\` took 132 units
  at 100,000 leads, 2.11 × the smallest list; keeping what is beyond within a request made that 114.`;
};

const indexes = (pages: readonly Page[]): string => {
  const largest = Math.max(...pages.map(({ size }) => size));
  const rows = Object.entries(filtersOfIndex).map(([index, name]) => {
    const page = pages.find(({ size, names }) => size === largest && nameOf(names) === name)!;
    const saved = page.usual - page.units;
    const worth = (saved * prices.readUnits) / prices.writeUnits;
    return [`\`${index}\``, name, 1, page.usual, page.units, worth.toFixed(1)];
  });
  const header = [
    'index',
    'list',
    'write units of a lead',
    'usual way',
    'with it',
    'writes a page pays for',
  ];
  return `### What an index costs and earns

Each entry costs one write unit when a lead is made or changed, two when the lead moves to another partition
of the index, and a copy in storage. It earns what a page costs less than the usual way; the last column is how many
such writes one page pays for, at the prices of reading and writing:

${table(header, rows)}

By stage and owner alone there is no index of its own: the pipelines’ are merged.`;
};

/** The list that each index is for. */
const filtersOfIndex: Record<keyof typeof indexAttributes, string> = {
  by_pipeline: 'pipeline',
  by_pipeline_stage: 'pipeline + stage',
  by_owner: 'owner',
  by_pipeline_owner: 'pipeline + owner',
  by_pipeline_stage_owner: 'pipeline + stage + owner',
};
