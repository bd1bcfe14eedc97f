import * as z from 'zod/mini';
import { foldText } from '../schema/text/fold.ts';
import { places } from '../table/keys.ts';
import { type AttributesOf, type ItemKey, Kind } from '../table/kind.ts';
import type { Table, Write } from '../table/table.ts';
import { put, remove } from '../table/write.ts';

/** An organization in the list of all, so that nobody has to read the whole table to find one. */
export const listedOrganizationKind = new Kind(places.listedOrganization, {
  holds: 'all organizations, by their names',
  attributes: z.object({
    name: z.string(),
    created_at: z.iso.datetime(),
    suspended_at: z.optional(z.iso.datetime()),
  }),
});
type ListedOrganization = AttributesOf<typeof listedOrganizationKind>;

/** Characters of a name by which it is sorted: a sort key has room for as many of four bytes. */
const mostSortedCharacters = 200;

/** A name as it is sorted and found: without case and accents, and without the sign that ends it in the key. */
const sortedName = (name: string): string =>
  [...foldText(name).replaceAll('#', ' ')].slice(0, mostSortedCharacters).join('').trim();

const keyOf = (organizationId: string, name: string): ItemKey<ListedOrganization> =>
  listedOrganizationKind.key({ organizationId, name: sortedName(name) });

/** Lists an organization as it is now. */
export const listOrganization = (
  organizationId: string,
  { name, created_at, suspended_at }: ListedOrganization,
): Write<'PutItem'> => put(keyOf(organizationId, name), { name, created_at, suspended_at });

/** Lists an organization under another name. */
export const relistOrganization = (
  organizationId: string,
  after: ListedOrganization,
  nameBefore: string,
): Write<'PutItem' | 'DeleteItem'>[] => [
  ...(sortedName(nameBefore) === sortedName(after.name)
    ? []
    : [delistOrganization(organizationId, nameBefore)]),
  listOrganization(organizationId, after),
];

/** Takes an organization off the list. */
export const delistOrganization = (organizationId: string, name: string): Write<'DeleteItem'> =>
  remove(keyOf(organizationId, name));

/** A page of all organizations, by name: those whose names begin so. `after` is where the page before ended. */
export const readOrganizationList = async (
  table: Table<'Query'>,
  { nameBegins, after, limit }: { nameBegins: string; after?: string | undefined; limit: number },
): Promise<{ items: (ListedOrganization & { id: string })[]; next: string | null }> => {
  const pk = listedOrganizationKind.partition({});
  const prefix = sortedName(nameBegins);
  const { items, last } = await table.query({
    kind: listedOrganizationKind,
    condition: prefix ? 'pk = :pk AND begins_with(sk, :prefix)' : 'pk = :pk',
    values: { ':pk': pk, ...(prefix && { ':prefix': prefix }) },
    limit,
    startAfter: after === undefined ? undefined : { pk, sk: after },
    consistent: true,
  });
  return {
    items: items.map((item) => {
      const { name, created_at, suspended_at } = item;
      return {
        id: listedOrganizationKind.idsOf(item).organizationId,
        name,
        created_at,
        suspended_at,
      };
    }),
    next: last === undefined ? null : String(last.sk),
  };
};

/** All organizations, a page at a time. */
export async function* readAllOrganizations(
  table: Table<'Query'>,
): AsyncGenerator<{ id: string; name: string }[]> {
  let after: string | undefined;
  do {
    const { items, next } = await readOrganizationList(table, {
      nameBegins: '',
      after,
      limit: 100,
    });
    yield items;
    after = next ?? undefined;
  } while (after !== undefined);
}
