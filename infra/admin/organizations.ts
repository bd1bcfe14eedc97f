import { organizationKey, organizationKeys } from '../../lib/table/keys.ts';
import type { Item, TableClient } from '../../lib/table/table.ts';
import { CliError } from '../local/cli-error.ts';

/** Throws when there is none: what belongs to it would look empty. */
export const readOrganization = async (table: TableClient, id: string): Promise<Item> => {
  const item = await table.get(organizationKey(id), { consistent: true });
  if (!item) throw new CliError(`There is no organization ${id}.`);
  return item;
};

/** Every member, or every pipeline, of an organization. */
export const readAll = async (
  table: TableClient,
  organizationId: string,
  kind: 'MEMBER' | 'PIPELINE',
): Promise<Item[]> => {
  const { pk, prefix } = organizationKeys(organizationId, kind);
  const items: Item[] = [];
  let last: Item | undefined;
  do {
    const page = await table.query({
      condition: 'pk = :pk AND begins_with(sk, :prefix)',
      values: { ':pk': pk, ':prefix': prefix },
      limit: 1000,
      startAfter: last,
      consistent: true,
    });
    items.push(...page.items);
    last = page.last;
  } while (last);
  return items;
};

/** The members of an organization, by user id. */
export const readMembers = async (table: TableClient, organizationId: string) => {
  const { prefix } = organizationKeys(organizationId, 'MEMBER');
  return (await readAll(table, organizationId, 'MEMBER')).map(({ sk, role }) => ({
    user_id: (sk as string).slice(prefix.length),
    role: role as string,
  }));
};
