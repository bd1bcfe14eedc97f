import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import type { Item } from '../../../lib/table/table.ts';
import { type CountedService, startCountedService } from '../../cost/counted-service.ts';
import { Client } from '../../faults/client.ts';
import type { Progress, Section } from '../section.ts';
import { itemsOf, type Large, largeOrganization } from './leads.ts';
import { startLoadedEngine } from './load.ts';
import {
  combinations,
  type FilterNames,
  filtersOf,
  floorOf,
  listPage,
  type Page,
  smallestList,
  type Traversal,
  traverse,
  usualWay,
} from './measure.ts';
import { reportLists } from './report.ts';

const sizes = [1_000, 10_000, 100_000];
const seed = 1;
/** Whole lists are read in organizations of so many leads. */
const traversedSizes = [10_000, 100_000];

/** What lists cost in organizations of a thousand leads to 100,000. */
export const lists = async (progress: Progress): Promise<Section> => {
  const large = sizes.map(largeOrganization);
  const withTags = combinations.filter((names) => names.length > 1 && names.includes('tag'));
  const traversed = large.filter(({ size }) => traversedSizes.includes(size));
  const pagesToCome = large.length * combinations.length;
  progress.expect(1 + pagesToCome + traversed.length * withTags.length);
  progress.step(`loading ${sizes.reduce((a, b) => a + b)} leads`);
  const counted = await startCountedService({
    makeEngine: (processes) => startLoadedEngine(processes, allItems(large)),
  });
  try {
    const pages: Page[] = [];
    for (const organization of large) {
      for (const names of combinations) {
        progress.step(`${organization.size} leads, by ${names.join(' + ') || 'nothing'}`);
        pages.push(await measurePage(counted, organization, names));
      }
    }
    const traversals: Traversal[] = [];
    for (const organization of traversed) {
      for (const names of withTags) {
        progress.step(`${organization.size} leads, all by ${names.join(' + ')}`);
        traversals.push(await measureTraversal(counted, organization, names));
      }
    }
    return reportLists({ pages, traversals, pipelines: large[0]?.pipelines.length ?? 0, seed });
  } finally {
    await counted.close();
  }
};

function* allItems(organizations: readonly Large[]): Generator<Item> {
  for (const organization of organizations) yield* itemsOf(organization, seed);
}

const clientOf = async ({ service }: CountedService, { id, user }: Large): Promise<Client> =>
  new Client(service, id, await service.issuer.idToken(user));

const engineOf = ({ engine }: CountedService) => DynamoDBDocumentClient.from(adminClient(engine));

const measurePage = async (
  counted: CountedService,
  organization: Large,
  names: FilterNames,
): Promise<Page> => {
  const client = await clientOf(counted, organization);
  const filters = filtersOf(organization, names);
  const { units, bytes, leads } = await listPage(client, counted.proxy, filters);
  const { TableName } = counted.service.assembly.table;
  const usual = await usualWay(engineOf(counted), TableName, organization, filters);
  return { size: organization.size, names, units, floor: floorOf(bytes), usual, leads };
};

const measureTraversal = async (
  counted: CountedService,
  organization: Large,
  names: FilterNames,
): Promise<Traversal> => {
  const client = await clientOf(counted, organization);
  const filters = filtersOf(organization, names);
  const pages = await traverse(client, counted.proxy, filters);
  const { TableName } = counted.service.assembly.table;
  return {
    size: organization.size,
    names,
    leads: pages.reduce((total, { leads }) => total + leads, 0),
    pages: pages.length,
    queries: pages.reduce((total, { queries }) => total + queries, 0),
    units: pages.reduce((total, { units }) => total + units, 0),
    dearestPage: Math.max(...pages.map(({ units }) => units)),
    smallestList: await smallestList(engineOf(counted), TableName, organization, filters),
  };
};
