import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { historyKey } from '../../lib/table/keys.ts';
import { provision } from '../support/organization.ts';
import { table } from '../support/table.ts';

// 10 kB an entry, as one is that changes 20 long tags: a page of 200 is more than the 1 MB at which
// DynamoDB stops reading.
const changes = [{ field: 'company_name', from: null, to: 'x'.repeat(10_000) }];
const entries = 150;

test('a history that is longer than one read of DynamoDB is told to its end', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const [first] = await organization.readAll(`/leads/${id}/history`);
  const items = Array.from({ length: entries }, (_, i) => ({
    ...first,
    ...historyKey(organization.id, id, i + 2),
    type: 'lead.updated',
    version: i + 2,
    changes,
  }));
  for (let i = 0; i < entries; i += 25) {
    const requests = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.send(
      new BatchWriteCommand({ RequestItems: { [inject('service').tableName]: requests } }),
    );
  }
  const page = await organization.get(`/leads/${id}/history?limit=200`);
  expect(page.body.items.length).toBeLessThan(entries);
  const all = await organization.readAll(`/leads/${id}/history`);
  expect(all.map(({ version }) => version)).toEqual(
    Array.from({ length: entries + 1 }, (_, i) => entries + 1 - i),
  );
});
