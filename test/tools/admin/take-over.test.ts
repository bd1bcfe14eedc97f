import { randomUUID } from 'node:crypto';
import { BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { expect, inject, test } from 'vitest';
import { createPlatformKey, revokePlatformKey } from '../../../tools/admin/platform-keys.ts';
import { localTable } from '../../../tools/demo/platform-key.ts';
import { makeApiKey } from '../../api/keys/api-keys.ts';
import { makeTable } from '../../support/another-table.ts';
import { provision } from '../../support/organization.ts';
import { wholeOrganization } from '../../support/whole-organization.ts';
import { Admin, ready } from './admin.ts';

// A drill: a second table has what the first had at a moment, as a restore of a backup makes one.

const admin = new Admin();
const client = adminClient(inject('service').tableEndpoint);

/** Another table with what the one in use has now of these organizations, and of what is nobody's. */
const backup = async (others: readonly string[]): Promise<string> => {
  const TableName = await makeTable();
  let start: Record<string, never> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: ready.table_name,
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    const wanted = Items.filter((item) => others.some((one) => JSON.stringify(item).includes(one)));
    for (let i = 0; i < wanted.length; i += 25) {
      const chunk = wanted.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: chunk } }));
    }
    start = LastEvaluatedKey as never;
  } while (start);
  return TableName;
};

test('what was revoked, removed and erased since is so again in a restored table, once, before the API opens', async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const own = await wholeOrganization(word);
  const gone = await provision({ name: `Gone ${word}` });
  const leaked = await makeApiKey(own, { role: 'admin' });
  const [first, second] = (await own.readAll('/leads')) as { id: string; contact_name: string }[];
  const table = localTable(ready.dynamodb_endpoint, ready.table_name);
  const platform = await createPlatformKey(table, { name: word, role: 'platform' });
  const restored = await backup([own.id, gone.id, platform.id, word]);

  expect((await own.delete(`/keys/${leaked.id}`)).status).toBe(204);
  expect((await own.delete(`/members/${own.users.viewer}`)).status).toBe(200);
  await own.put(`/members/${own.users.admin}`, { role: 'viewer' });
  while ((await own.post(`/leads/${first!.id}/erase`, undefined)).status === 202);
  await admin.json('organization', 'suspend', own.id);
  const erasing = [
    'organization',
    'erase',
    gone.id,
    '--name',
    `Gone ${word}`,
    '--now',
    '--no-wait',
  ];
  expect((await admin.run(...erasing)).code).toBe(0);
  expect(await revokePlatformKey(table, platform.id)).toBe(true);

  const file = await admin.file('restored.json', { ...ready, table_name: restored });
  const takeOver = async () => {
    const ran = await admin.runWith(
      {},
      'take-over',
      '--old',
      ready.table_name,
      '--ready-file',
      file,
    );
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    return JSON.parse(ran.stdout);
  };
  expect(await takeOver()).toEqual({
    platform_keys: 1,
    api_keys: 1,
    members: 2,
    suspensions: 1,
    erased_leads: 1,
    erased_organizations: 1,
  });
  expect(Object.values(await takeOver())).toEqual([0, 0, 0, 0, 0, 0]);

  const { Items = [] } = await client.send(new ScanCommand({ TableName: restored }));
  const text = JSON.stringify(Items);
  const ofGone = Items.filter((item) => JSON.stringify(item).includes(gone.id));
  expect(ofGone.map(({ sk }) => sk?.S)).toEqual(['ERASED']);
  const of = (pk: string, sk: string) =>
    Items.find((item) => item.pk?.S === pk && item.sk?.S === sk);
  expect(of(`KEY#${leaked.id}`, 'KEY')?.revoked_at?.S).toEqual(expect.any(String));
  expect(of(`PLATFORM#${platform.id}`, 'KEY')?.revoked_at?.S).toEqual(expect.any(String));
  expect(of(`MEMBERS#${own.id}`, own.users.viewer)).not.toHaveProperty('role');
  expect(of(`MEMBERS#${own.id}`, own.users.admin)?.role?.S).toBe('viewer');
  expect(of(`REQUESTS#${own.id}`, 'COUNTER')?.suspended?.BOOL).toBe(true);
  expect(text).not.toContain(first!.contact_name);
  expect(text).toContain(second!.contact_name);
});
