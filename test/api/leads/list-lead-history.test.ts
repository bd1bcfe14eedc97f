import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { ordinal, places } from '../../../lib/table/keys.ts';
import { pastCommits, provision } from '../../support/organization.ts';
import { table } from '../../support/table.ts';

const { tableName: TableName } = inject('service');

test('a history tells who changed what from what to what, newest first, also of a deleted lead', async () => {
  const organization = await provision();
  const { id } = await organization.lead({ email: 'a@example.com' }, { role: 'agent' });
  await organization.patch(`/leads/${id}`, { email: null, value_cents: 5, stage: 'won' });
  await organization.delete(`/leads/${id}`, { role: 'admin' });
  const { owner, agent, admin } = organization.users;
  expect(await organization.readAll(`/leads/${id}/history`, 1)).toMatchObject([
    { version: 3, type: 'lead.deleted', user_id: admin },
    {
      version: 2,
      type: 'lead.updated',
      user_id: owner,
      changes: [
        { field: 'email', from: 'a@example.com', to: null },
        { field: 'stage', from: 'new', to: 'won' },
        { field: 'value_cents', from: null, to: 5 },
      ],
    },
    { version: 1, type: 'lead.created', user_id: agent },
  ]);
});

test('a history never goes back in time, though the clock of another function was ahead', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const ahead = new Date(Date.now() + 60_000).toISOString();
  await table.send(
    new UpdateCommand({
      TableName,
      Key: places.lead.key({ organizationId: organization.id, leadId: id }),
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

test('a history that is longer than one read of DynamoDB is told to its end', async () => {
  const organization = await provision({ name: pastCommits });
  const { id } = await organization.lead();
  const [{ user_name, ...first }] = await organization.readAll(`/leads/${id}/history`);
  // 10 kB an entry, so that a page of 200 is more than the 1 MB at which DynamoDB stops reading.
  const changes = [{ field: 'company_name', from: null, to: 'x'.repeat(10_000) }];
  const versions = Array.from({ length: 110 }, (_, i) => i + 2);
  for (let i = 0; i < versions.length; i += 25) {
    const requests = versions.slice(i, i + 25).map((version) => {
      const ids = { organizationId: organization.id, leadId: id, version: ordinal(version) };
      const key = places.historyEntry.key(ids);
      return { PutRequest: { Item: { ...first, ...key, type: 'lead.updated', version, changes } } };
    });
    await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
  const page = await organization.get(`/leads/${id}/history?limit=200`);
  expect(page.body.items.length).toBeLessThan(versions.length);
  const all = await organization.readAll(`/leads/${id}/history`);
  expect(all.map(({ version }) => version)).toEqual([1, ...versions].reverse());
});
