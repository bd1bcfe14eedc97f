import type { indexAttributes } from '../../../lib/table/keys.ts';
import { prices } from '../prices.ts';
import { type Chart, type Goal, type Section, table } from '../section.ts';
import type { FilterNames, Page, Traversal } from './measure.ts';

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
  result: resultOf(measured),
  goals: goalsOf(measured),
  content: [
    howMeasured(measured),
    pagesTable(measured.pages),
    pagesChart(measured.pages),
    tags(measured),
    indexes(measured.pages),
  ],
});

const resultOf = ({ pages }: Measured): string => {
  const largest = Math.max(...pages.map(({ size }) => size));
  const shown = pages.filter(({ size }) => size === largest);
  const units = (those: readonly Page[]) => Math.max(...those.map((page) => page.units));
  const usual = Math.max(...shown.map((page) => page.usual));
  const { single, merged, searched } = kinds(shown);
  return `Of ${number(largest)} leads, a first page of 50 takes at most ${units(single)} read units where one list has what is asked for,
  ${units(merged)} for a stage of all pipelines, and ${units(searched)} with a tag among the filters. One list and a filter would take up to ${number(usual)}.`;
};

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
      goal: 'by a tag and others, to the end: no more than to read the smallest list that has them all',
      measured: `up to ${longest.toFixed(2)} ×`,
      holds: longest <= 1,
    },
  ];
};

const and = (values: readonly string[]): string => new Intl.ListFormat('en-GB').format(values);

const howMeasured = ({ pages, pipelines, seed }: Measured): string => {
  const sizes = [...new Set(pages.map(({ size }) => number(size)))];
  return `The first page of 50, in organizations of ${and(sizes)} leads, asked for over the whole service,
and counted by a proxy before the engine. The caller’s membership, one unit, is left out. \`lib/leads/stored-lead.ts\` makes
the leads, and the engine’s own import loads them (seed ${seed}): ${pipelines} pipelines with five stages
each, 14 owners, and five tags; most leads have one tag or none. Each filter leaves a middling number: of a hundred
leads, a pipeline has 30, a stage 15, an owner 7, a tag 20.

**Floor**: the bytes of the answer, at half a unit for 4 KB. **Usual way**: one partition with all leads and a
\`FilterExpression\`, read until 51 leads are found.`;
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

A smaller organization may have less than a page of a list. Then its page costs less.`;
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
    'most expensive page',
    'units / smallest',
  ];
  return `## A tag among other filters

No index has tags in it. A lead has up to 20 tags, and each would need entries of its own in every index: one to
three write units for each tag of each lead, for combinations that are seldom asked for. So the service searches
another list: the one of the fields, or the one of any of the tags. It reads up to 50 leads of each, and goes on with
the list that came farthest back in time, since that one has the fewest leads to drop. The cursor keeps this choice
while it pays. This is what it costs to read
each list to its end:

${table(header, rows)}

This is why reading costs more than the smallest list, and why the goal can’t hold to the letter:

- **Rounding** is most of it. DynamoDB rounds each query up to half a unit, by a quarter of a unit on average. To read
  the smallest list whole takes one query for each megabyte; pages of 50 leads take the queries in the table.
- **The look at the other lists** happens once in a list. It counts most in the shortest lists.
- **Ends of pages.** What is read beyond a full page has to be read again for the next one. So pages end when they are
  nearly full.
- **A stage of all pipelines** has a list in each pipeline. They are searched side by side: each is read by as much as it
  has leads in the same time, so that all come to about the same moment. To read the same from each,
  drop what some have beyond, and read it again took more: \`stage + owner + tag\` took 132 units at 100,000 leads, 2.11 × the
  smallest list. Keeping within a request what was read beyond made that 114.`;
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
  return `## What an index costs and earns

Each entry costs one write unit when a lead is made or changed, two when the lead moves to another partition
of the index, and a copy in storage. It earns the difference between the usual way and a page. The last column is how
many such writes one page pays for, at the prices of reading and writing:

${table(header, rows)}

Lists by stage and owner alone have no index: the service merges those of the pipelines.`;
};

/** The list that each index is for. */
const filtersOfIndex: Record<keyof typeof indexAttributes, string> = {
  by_pipeline: 'pipeline',
  by_pipeline_stage: 'pipeline + stage',
  by_owner: 'owner',
  by_pipeline_owner: 'pipeline + owner',
  by_pipeline_stage_owner: 'pipeline + stage + owner',
};
