import { randomUUID } from 'node:crypto';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { makeTable } from '../../support/another-table.ts';
import { walletKey } from '../../support/keys.ts';
import { table } from '../../support/table.ts';
import { Admin, ready } from './admin.ts';

// In a table of its own: the one in use has wallets that other tests made wrong.

const admin = new Admin();

/** What runs a command in a new table; and what makes an organization there, and gives it stars so many times. */
const setUp = async () => {
  const TableName = await makeTable();
  const file = await admin.file('another.json', { ...ready, table_name: TableName });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await admin.runWith({}, ...args, '--ready-file', file);
    return { code, stderr, said: JSON.parse(stdout || 'null') };
  };
  const make = async (grants: number): Promise<string> => {
    const create = ['organization', 'create', '--name', 'Cedro', '--member'];
    const { id } = (await run(...create, `owner=${randomUUID()}`)).said;
    for (let i = 0; i < grants; i++) {
      const { code } = await run('wallet', 'grant', id, '--stars=1', '--reason', 'Test');
      expect(code).toBe(0);
    }
    return id;
  };
  return { TableName, run, make, audit: () => run('wallet', 'audit', '--all') };
};

test('audit --all tells of each wallet that is wrong or missing, goes on, and ends with 3', async () => {
  const { TableName, run, make, audit } = await setUp();
  const [missing, sound, below, behind] = [
    await make(1),
    await make(0),
    await make(1),
    await make(1),
  ];
  const before = await audit();
  expect(before).toMatchObject({ code: 0, stderr: '' });
  expect(before.said).toMatchObject({ sound: true, wallets: 4, wrong: [], unread: [] });

  const set = (id: string, UpdateExpression: string, stars: number) =>
    table.send(
      new UpdateCommand({
        TableName,
        Key: walletKey(id),
        UpdateExpression,
        ExpressionAttributeValues: { ':stars': stars },
      }),
    );
  await table.send(new DeleteCommand({ TableName, Key: walletKey(missing) }));
  await set(below, 'SET pack_stars = :stars', -1);
  await set(behind, 'SET pack_stars = :stars', 2);
  const after = await audit();
  expect(after).toMatchObject({ code: 3, stderr: '3 of 4 wallets are wrong.\n' });
  expect(after.said).toMatchObject({ sound: false, wallets: 4, unread: [] });
  const why = new Map(
    after.said.wrong.map((one: Record<string, string>) => [one.organization_id, one.why]),
  );
  expect(why.size).toBe(3);
  expect(why.get(missing)).toMatch(/has no wallet\.$/);
  expect(why.get(below)).toMatch(/is wrong: pack_stars is -1\.$/);
  expect(why.get(behind)).toMatch(/is wrong: .* 2 pack stars/);
  expect(why.has(sound)).toBe(false);
  // One of them alone says the same.
  expect(await run('wallet', 'audit', below)).toMatchObject({ code: 3, said: null });
});

test('audit --all passes over an organization that was erased meanwhile', async () => {
  const { TableName, make, audit } = await setUp();
  const gone = await make(0);
  await make(0);
  const Key = places.organization.key({ organizationId: gone });
  await table.send(new DeleteCommand({ TableName, Key }));
  const { code, said } = await audit();
  expect([code, said.wallets, said.wrong, said.unread]).toEqual([0, 1, [], []]);
});

test('audit --all reads a dozen entries or more for a unit', async () => {
  const { run, make, audit } = await setUp();
  const id = await make(0);
  const grant = ['wallet', 'grant', id, '--stars=1', '--reason', 'Test'];
  const before = (await audit()).said.read_units;
  for (let i = 0; i < 48; i++) await run(...grant);
  const entriesPerUnit = 48 / ((await audit()).said.read_units - before);
  console.info(`entries for each unit: ${entriesPerUnit}`);
  expect(entriesPerUnit).toBeGreaterThanOrEqual(12);
});
