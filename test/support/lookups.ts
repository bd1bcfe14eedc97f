import { expect } from 'vitest';
import type { Lead } from '../../lib/leads/lead.ts';
import type { Item } from '../../lib/table/table.ts';
import { foundByContacts } from './contacts.ts';
import type { Organization } from './organization.ts';
import { writtenUnder } from './written.ts';

/** Every item of an organization whose partition key begins so. */
export const itemsOf = ({ id }: Organization, kind: string): Promise<Item[]> =>
  writtenUnder(`${kind}#${id}#`);

const found = (items: readonly Item[]): string[] =>
  items.map(({ pk, sk, lead_id }) => `${pk} ${lead_id ?? sk}`).sort();

/** Each lead is found by what it has, once, and no guard is left of what no lead has. */
export const expectFindable = async (organization: Organization): Promise<void> => {
  const leads: Lead[] = await organization.readAll('/leads');
  const { id } = organization;
  const contacts = foundByContacts(id, leads);
  expect(found(await itemsOf(organization, 'CONTACT'))).toEqual(contacts.sort());
  const externals = leads.flatMap((lead) =>
    lead.external_id ? `EXTERNAL#${id}#${lead.external_id} ${lead.id}` : [],
  );
  expect(found(await itemsOf(organization, 'EXTERNAL'))).toEqual(externals.sort());
};
