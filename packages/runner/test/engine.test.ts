import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  adminClient,
  ensureTable,
  Processes,
  type Storage,
  startEngine,
} from '@leads-and-stars/runner';
import { afterEach, expect, test } from 'vitest';
import { ownDirectory } from './support.ts';
import { aTable } from './table-properties.ts';

const directory = ownDirectory();

let processes: Processes;
afterEach(() => processes.close());

/** An engine with a table. */
const start = async (storage: Storage): Promise<DynamoDBClient> => {
  processes = new Processes();
  const endpoint = await startEngine(processes, storage);
  await ensureTable(endpoint, aTable);
  return adminClient(endpoint);
};

const { TableName } = aTable;
const Item = { pk: { S: 'one' }, sk: { S: 'one' } };
const put = (client: DynamoDBClient) => client.send(new PutItemCommand({ TableName, Item }));
const get = async (client: DynamoDBClient) =>
  (await client.send(new GetItemCommand({ TableName, Key: Item }))).Item;

/** How the database looks for what dynoxide asks at each write, and of each reader of a stream. */
const plansOf = (file: string): string[] => {
  const database = new DatabaseSync(file, { readOnly: true });
  const number = 'CAST(sequence_number AS INTEGER)';
  const plans = [
    `SELECT COALESCE(MAX(${number}), 0) + 1 FROM _stream_records WHERE table_name = 't'`,
    `SELECT keys_json FROM _stream_records WHERE table_name = 't' AND shard_id = 's' AND ${number} > 1 ORDER BY ${number} LIMIT 9`,
  ].map((statement) => String(database.prepare(`EXPLAIN QUERY PLAN ${statement}`).get()!.detail));
  database.close();
  return plans;
};

test('the local engine finds the records of a stream by an index', async () => {
  const file = join(directory, 'database');
  await put(await start({ file }));
  const plans = plansOf(file);
  for (const plan of plans) expect(plan).toContain('INDEX stream_by_sequence');
});

test('a table whose maker ended before it had a time to live gets that at the next start', async () => {
  processes = new Processes();
  const endpoint = await startEngine(processes, 'memory');
  const found = async () =>
    (await adminClient(endpoint).send(new DescribeTimeToLiveCommand({ TableName })))
      .TimeToLiveDescription;
  await ensureTable(endpoint, aTable);
  expect(await found()).toMatchObject({ TimeToLiveStatus: 'DISABLED' });
  const TimeToLiveSpecification = { AttributeName: 'expires_at' };
  for (let starts = 0; starts < 2; starts++) {
    await ensureTable(endpoint, { ...aTable, TimeToLiveSpecification });
    const enabled = { TimeToLiveStatus: 'ENABLED', ...TimeToLiveSpecification };
    expect(await found()).toEqual(enabled);
  }
});

/** Whether a process was started so. Not, where it has ended meanwhile. */
const wasStartedWith = (pid: string, text: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
  } catch {
    return false;
  }
};

/** The databases that an engine has open, as the kernel names them. */
const databasesOf = async (client: DynamoDBClient): Promise<string[]> => {
  const { port } = await client.config.endpoint!();
  const pid = readdirSync('/proc').find(
    (one) => /^\d+$/.test(one) && wasStartedWith(one, `--port\0${port}\0`),
  );
  return readdirSync(`/proc/${pid}/fd`)
    .map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    .filter((name) => name.includes('database'));
};

// Elsewhere, and where a container has little of it, the engine itself keeps the data in memory.
test.runIf(process.platform === 'linux')(
  'a database in memory has no name by which it could outlive the engine',
  async () => {
    const client = await start('memory');
    await put(client);
    expect(await get(client)).toEqual(Item);
    const [database] = await databasesOf(client);
    expect(database).toMatch(/^\/dev\/shm\/.* \(deleted\)$/);
  },
);
