import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, test } from 'vitest';
import { historyKey, leadKey } from '../../../lib/table/keys.ts';
import { provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

describe('the history of a lead', () => {
  test('tells who changed what from what to what, newest first, also of a deleted lead', async () => {
    const organization = await provision();
    const { id } = await organization.lead({ email: 'a@example.com' }, { role: 'agent' });
    await organization.patch(`/leads/${id}`, { email: null, value_cents: 5, stage: 'won' });
    await organization.delete(`/leads/${id}`, { role: 'admin' });
    const entries = await organization.readAll(`/leads/${id}/history`, 1);
    expect(entries).toMatchObject([
      { version: 3, type: 'lead.deleted', user_id: organization.users.admin },
      {
        version: 2,
        type: 'lead.updated',
        user_id: organization.users.owner,
        changes: [
          { field: 'email', from: 'a@example.com', to: null },
          { field: 'stage', from: 'new', to: 'won' },
          { field: 'value_cents', from: null, to: 5 },
        ],
      },
      { version: 1, type: 'lead.created', user_id: organization.users.agent },
    ]);
  });

  test('never goes back in time, though the clock of another function was ahead', async () => {
    const organization = await provision();
    const { id } = await organization.lead();
    const ahead = new Date(Date.now() + 60_000).toISOString();
    await table.send(
      new UpdateCommand({
        TableName: inject('service').tableName,
        Key: leadKey(organization.id, id),
        UpdateExpression: 'SET updated_at = :ahead',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':ahead': ahead },
      }),
    );
    await organization.patch(`/leads/${id}`, { value_cents: 5 });
    await organization.delete(`/leads/${id}`);
    const [deleted, updated] = await organization.readAll(`/leads/${id}/history`);
    expect([deleted.at, updated.at]).toEqual([ahead, ahead]);
  });
});

// 10 kB an entry, as one is that changes 20 long tags: a page of 200 is more than the 1 MB at which
// DynamoDB stops reading.
const changes = [{ field: 'company_name', from: null, to: 'x'.repeat(10_000) }];
const entries = 110;

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
