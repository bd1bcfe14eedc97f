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
  pageSize,
  type SortedKind,
  sortedGoals,
  sortedLists,
} from './measure.ts';

const [size, sizeOfTen] = [100_000, 200_000];
const seed = 1;

/** The first page of a list. */
interface Page {
  names: FilterNames;
  units: number;
  floor: number;
  leads: number;
  isLast: boolean;
}

interface SortedPage extends Page {
  sort: Sort;
  kind: SortedKind;
}

/** What lists cost in an organization of 100,000 leads, and in one of 200,000 in ten pipelines. */
export const lists = async (progress: Progress): Promise<Section> => {
  const organization = largeOrganization(size);
  const ofTen = largeOrganization(sizeOfTen, 'ten pipelines');
  progress(`loading organizations of ${size} and ${sizeOfTen} leads`);
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
    for (const { names, sort, kind } of sortedLists) {
      progress(`by ${nameOf(names)}, sorted by ${sort}`);
      sorted.push({ ...(await measurePage(metered, ofTen, names, sort)), sort, kind });
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
  const filters = filtersOf(organization, names, sort ? 'few' : 'usual');
  const { bytes, ...cost } = await listPage(client, meter, filters, sort);
  return { names, floor: floorOf(bytes), ...cost };
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
    goals: [...goalsOf(single, merged, searched, pipelines), ...goalsOfSorted(sorted)],
    content: [
      `Read units of a page of 50 of ${size.toLocaleString('en')} leads, without the caller's membership (seed ${seed}). Of a hundred leads, one of ${pipelines} pipelines has 30, the stage 15, the
owner 7, the tag 20. **Floor**: the page's bytes.`,
      table(
        ['by', 'units', 'floor'],
        pages
          .filter(({ names }) => shown.includes(nameOf(names)))
          .map(({ names, units, floor }) => [nameOf(names), units, floor]),
      ),
      `Sorted otherwise, of ${sizeOfTen.toLocaleString('en')} leads in ten pipelines: the pipeline has 18 of a hundred, the owner 1; half of the leads
were changed, a third has a next step:`,
      table(
        ['by', 'sort', 'leads', 'units', 'floor'],
        sorted.map(({ names, sort, leads, units, floor }) => [
          nameOf(names),
          sort,
          leads,
          units,
          floor,
        ]),
      ),
      `Of a million leads these pages cost the same: an index is read from one end, and a filtered one as far as ${pageSize} leads
that match, which their share says, not their number. Where few match, a page ends at 250 units, and goes on.`,
      `Orders cost a new lead up to 6 write units, a change up to 9 (of owner, stage, value and next step 12). A pipeline takes
${partitionUnits / changeUnits} changes a second, ${changeUnits} units each at the end of its last changes (computed).`,
    ],
  };
};

/** DynamoDB's documented limit of one partition, a second. */
const partitionUnits = 1000;
/** The old place of a lead is deleted, and the new one put. */
const changeUnits = 2;

const goalsOfSorted = (sorted: readonly SortedPage[]): Goal[] =>
  [...Map.groupBy(sorted, ({ kind }) => kind)].map(([kind, those]) => {
    const { mostUnits, of } = sortedGoals[kind];
    const dearest = Math.max(...those.map(({ units }) => units));
    const shortest = Math.min(...those.map(({ leads, isLast }) => (isLast ? pageSize : leads)));
    // Where leads are passed over, a page is full enough at four fifths.
    const leastLeads = kind === 'filtered' ? 0.8 * pageSize : pageSize;
    return {
      goal: `${of}: ${leastLeads} leads, ${mostUnits} units`,
      measured: `${shortest}, ${dearest}`,
      holds: dearest <= mostUnits && shortest >= leastLeads,
    };
  });

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
