import type { Sort } from '../../../lib/leads/lists/terms/orders.ts';
import { type MeteredService, startMeteredService } from '../../cost/metered-service.ts';
import { Client } from '../../faults/client.ts';
import { type Goal, type Progress, type Section, table } from '../section.ts';
import { itemsOf, type Large, largeOrganization } from './leads.ts';
import { startLoadedEngine } from './load.ts';
import {
  combinations,
  type FilterNames,
  filtersOf,
  floorOf,
  listPage,
  sortedLists,
} from './measure.ts';

const size = 100_000;
const seed = 1;

/** The first page of a list. */
interface Page {
  names: FilterNames;
  units: number;
  floor: number;
}

interface SortedPage extends Page {
  sort: Sort;
  mostUnits: number;
}

/** What lists cost in organizations of 100,000 leads. */
export const lists = async (progress: Progress): Promise<Section> => {
  const [organization, ofTen] = [largeOrganization(size), largeOrganization(size, 'ten pipelines')];
  progress(`loading two organizations of ${size} leads`);
  function* items() {
    yield* itemsOf(organization, seed);
    yield* itemsOf(ofTen, seed);
  }
  const metered = await startMeteredService({
    makeEngine: (processes) => startLoadedEngine(processes, items()),
  });
  try {
    const pages: Page[] = [];
    for (const names of combinations) {
      progress(`by ${nameOf(names)}`);
      pages.push(await measurePage(metered, organization, names));
    }
    const sorted: SortedPage[] = [];
    for (const { names, sort, mostUnits } of sortedLists) {
      progress(`by ${nameOf(names)}, sorted by ${sort}`);
      sorted.push({ ...(await measurePage(metered, ofTen, names, sort)), sort, mostUnits });
    }
    return sectionOf(pages, sorted, organization.pipelines.length);
  } finally {
    await metered.close();
  }
};

const measurePage = async (
  { service, meter }: MeteredService,
  organization: Large,
  names: FilterNames,
  sort?: Sort,
): Promise<Page> => {
  const { id, user } = organization;
  const client = new Client(service, id, await service.issuer.idToken(user));
  const { units, bytes } = await listPage(client, meter, filtersOf(organization, names), sort);
  return { names, units, floor: floorOf(bytes) };
};

const nameOf = (names: FilterNames): string => names.join('+') || 'no filter';
const isMerged = (names: FilterNames): boolean =>
  names.includes('stage') && !names.includes('pipeline');
const hasTagAmongOthers = (names: FilterNames): boolean =>
  names.length > 1 && names.includes('tag');

/** The rows of the table; the goals hold for all combinations. */
const shown = [
  'no filter',
  'stage',
  'pipeline+stage+owner',
  'tag',
  'pipeline+owner+tag',
  'pipeline+stage+owner+tag',
];

const sectionOf = (
  pages: readonly Page[],
  sorted: readonly SortedPage[],
  pipelines: number,
): Section => {
  const single = pages.filter(({ names }) => !isMerged(names) && !hasTagAmongOthers(names));
  const merged = pages.filter(({ names }) => isMerged(names) && !hasTagAmongOthers(names));
  const searched = pages.filter(({ names }) => hasTagAmongOthers(names));
  return {
    title: 'Lists',
    goals: [...goalsOf(single, merged, searched, pipelines), ...sortedGoals(sorted)],
    content: [
      `Read units of a page of 50 of ${size.toLocaleString('en')} leads, without the caller's membership (seed ${seed}). Of a hundred leads, one of ${pipelines} pipelines has 30, the stage 15, the
owner 7, the tag 20. **Floor**: the page's bytes.`,
      table(
        ['by', 'units', 'floor'],
        pages
          .filter(({ names }) => shown.includes(nameOf(names)))
          .map(({ names, units, floor }) => [nameOf(names), units, floor]),
      ),
      'Sorted otherwise, of ten pipelines; half of the leads were changed, a third has a next step:',
      table(
        ['by', 'sort', 'units', 'floor'],
        sorted.map(({ names, sort, units, floor }) => [nameOf(names), sort, units, floor]),
      ),
      `Orders cost a new lead up to 3 write units, a change up to 4, of value and next step 6. A pipeline takes
${partitionUnits / changeUnits} changes a second, ${changeUnits} units each at the end of its last changes (computed).`,
    ],
  };
};

/** DynamoDB's documented limit of one partition, a second. */
const partitionUnits = 1000;
/** The old place of a lead is deleted, and the new one put. */
const changeUnits = 2;

const sortedGoals = (sorted: readonly SortedPage[]): Goal[] =>
  [...Map.groupBy(sorted, ({ mostUnits }) => mostUnits)].map(([mostUnits, those]) => {
    const dearest = Math.max(...those.map(({ units }) => units));
    const goal = `${sortedGoalNames[mostUnits]}, ${mostUnits} units`;
    return { goal, measured: `${dearest}`, holds: dearest <= mostUnits };
  });

const sortedGoalNames: Record<number, string> = {
  10: 'sorted otherwise, one pipeline or owner',
  20: 'ten pipelines',
  75: 'with other filters',
};

const goalsOf = (
  single: readonly Page[],
  merged: readonly Page[],
  searched: readonly Page[],
  pipelines: number,
): Goal[] => {
  const worst = Math.max(...single.map(({ units, floor }) => units / floor));
  const worstMerged = Math.max(...merged.map(({ units, floor }) => units / (floor * pipelines)));
  const dearest = Math.max(...searched.map(({ units }) => units));
  return [
    {
      goal: 'a list that an index has, 1.3 × the floor',
      measured: `${worst.toFixed(2)} ×`,
      holds: worst <= 1.3,
    },
    {
      goal: 'a stage of all pipelines, 1.3 × the floor × pipelines',
      measured: `${worstMerged.toFixed(2)} ×`,
      holds: worstMerged <= 1.3,
    },
    {
      goal: 'a tag among filters, 60 units',
      measured: `${dearest}`,
      holds: dearest <= 60,
    },
  ];
};
