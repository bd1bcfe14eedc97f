import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject } from 'vitest';
import type { Lead } from '../../lib/leads/lead.ts';
import type { Item } from '../../lib/table/table.ts';
import type { Organization } from './organization.ts';
import { table } from './table.ts';

const TableName = inject('service').tableName;

/** Every item of an organization whose partition key begins so, read from the engine itself. */
export const itemsOf = async ({ id }: Organization, kind: string): Promise<Item[]> => {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await table.send(
      new ScanCommand({
        TableName,
        ExclusiveStartKey,
        FilterExpression: 'begins_with(pk, :prefix)',
        ExpressionAttributeValues: { ':prefix': `${kind}#${id}#` },
        ConsistentRead: true,
      }),
    );
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
};

const found = (items: readonly Item[]): string[] =>
  items.map(({ pk, sk, lead_id }) => `${pk} ${lead_id ?? sk}`).sort();

/** Each lead is found by what it has, once, and no guard is left of what no lead has. */
export const expectFindable = async (organization: Organization): Promise<void> => {
  const leads: Lead[] = await organization.readAll('/leads');
  const { id } = organization;
  const contacts = leads.flatMap((lead) =>
    (['email', 'phone'] as const).flatMap((field) => {
      const value = lead[field]?.toLowerCase();
      return value ? `CONTACT#${id}#${lead.pipeline_id}#${field}#${value} ${lead.id}` : [];
    }),
  );
  expect(found(await itemsOf(organization, 'CONTACT'))).toEqual(contacts.sort());
  const externals = leads.flatMap((lead) =>
    lead.external_id ? `EXTERNAL#${id}#${lead.external_id} ${lead.id}` : [],
  );
  expect(found(await itemsOf(organization, 'EXTERNAL'))).toEqual(externals.sort());
};
