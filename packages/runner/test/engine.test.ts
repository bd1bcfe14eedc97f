import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  CreateTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { adminClient, Processes, type Storage, startEngine } from '@leads-and-stars/runner';
import { afterEach, expect, test } from 'vitest';
import { ownDirectory } from './support.ts';

const directory = ownDirectory();

let processes: Processes;
afterEach(() => processes.close());

const start = async (storage: Storage): Promise<DynamoDBClient> => {
  processes = new Processes();
  return adminClient(await startEngine(processes, storage));
};

const makeTable = (client: DynamoDBClient) =>
  client.send(
    new CreateTableCommand({
      TableName: 'things',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
const thing = { id: { S: 'one' } };

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

test('the local engine finds the records of a stream by an index, which is made anew where it is gone', async () => {
  const file = join(directory, 'database');
  const client = await start({ file });
  await makeTable(client);
  await client.send(new PutItemCommand({ TableName: 'things', Item: thing }));
  const indexed = plansOf(file);
  await processes.close();

  const database = new DatabaseSync(file);
  database.exec('DROP INDEX stream_by_sequence');
  database.close();
  for (const plan of plansOf(file)) expect(plan).not.toContain('INDEX');

  const again = await start({ file });
  expect(plansOf(file)).toEqual(indexed);
  for (const plan of indexed) expect(plan).toContain('INDEX stream_by_sequence');
  const { Item } = await again.send(new GetItemCommand({ TableName: 'things', Key: thing }));
  expect(Item).toEqual(thing);
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
    await makeTable(client);
    await client.send(new PutItemCommand({ TableName: 'things', Item: thing }));
    const { Item } = await client.send(new GetItemCommand({ TableName: 'things', Key: thing }));
    expect(Item).toEqual(thing);
    const [database] = await databasesOf(client);
    expect(database).toMatch(/^\/dev\/shm\/.* \(deleted\)$/);
  },
);
