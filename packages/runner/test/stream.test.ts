import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  adminClient,
  ensureTable,
  type Invocation,
  Processes,
  State,
  type StreamMapping,
  type StreamRecord,
  startEngine,
  startStreamMapping,
  streamArnOf,
  TableStream,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, ownDirectory } from './support.ts';
import { aTable } from './table-properties.ts';

// How the runner reads the table's stream.

const mappingOfA: StreamMapping = {
  functionLogicalId: 'test',
  patterns: [{ eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: 'A#' }] } } } }],
  batchSize: 2,
  partialResponses: true,
  mostAgeSeconds: Number.POSITIVE_INFINITY,
};

const processes = new Processes();
let endpoint: string;
const directory = ownDirectory();

beforeAll(async () => {
  endpoint = await startEngine(processes, 'memory');
});

afterAll(() => processes.close());

let tables = 0;
/** A table of a test's own. */
const makeTable = async (at = endpoint) => {
  const table = { ...aTable, TableName: `stream-${tables++}` };
  await ensureTable(at, table);
  const client = adminClient(at);
  return {
    put: async (...keys: string[]) => {
      for (const key of keys) {
        const [pk = '', sk = ''] = key.split(' ');
        const Item = { pk: { S: pk }, sk: { S: sk } };
        await client.send(new PutItemCommand({ TableName: table.TableName, Item }));
      }
    },
    open: async (from: 'TRIM_HORIZON' | 'LATEST', state?: State) =>
      TableStream.open(at, await streamArnOf(at, table.TableName), { from, state }),
  };
};

const keysOf = (records: readonly StreamRecord[]) =>
  records.map(({ dynamodb }) => {
    const { pk, sk } = dynamodb.Keys as Record<'pk' | 'sk', { S: string }>;
    return `${pk.S} ${sk.S}`;
  });

const failure: Invocation = { kind: 'error', errorType: 'Sandbox.Timedout', errorMessage: 'late' };

/**
 * Runs a mapping until a batch with the key was taken; each batch. What the function answers: the keys that failed, or that
 * all did.
 */
const runUntil = async (
  stream: TableStream,
  last: string,
  answer: (keys: string[], batch: number) => string[] | 'fails' = () => [],
  settings: Partial<StreamMapping> = {},
): Promise<string[][]> => {
  const batches: string[][] = [];
  let given = 0;
  const mapping = { ...mappingOfA, ...settings };
  const running = startStreamMapping(stream, mapping, async ({ Records }) => {
    const keys = keysOf(Records);
    const failed = answer(keys, ++given);
    if (failed === 'fails') return failure;
    batches.push(keys);
    const batchItemFailures = Records.filter((_, i) => failed.includes(keys[i]!)).map(
      ({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber }),
    );
    return { kind: 'result', payload: JSON.stringify({ batchItemFailures }) };
  });
  await eventually(last, () => batches.some((keys) => keys.includes(last)));
  await running.close();
  return batches;
};

test('sends what was inserted after it was opened, in order, a few at a time', async () => {
  const table = await makeTable();
  await table.put('A#1 before');
  const stream = await table.open('LATEST');
  await table.put('A#1 1', 'A#1 2', 'B#1 other', 'A#1 1', 'A#2 1', 'A#1 3');
  const batches = await runUntil(stream, 'A#1 3');
  expect(batches.flat()).toEqual(['A#1 1', 'A#1 2', 'A#2 1', 'A#1 3']);
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(2);
});

test('tries again what fails, and passes nothing over', async () => {
  const table = await makeTable();
  const stream = await table.open('TRIM_HORIZON');
  await table.put('A#1 1', 'A#1 2', 'A#1 3', 'A#1 4');
  let failures = 2;
  const fails = (keys: string[]) => (keys.includes('A#1 3') && failures-- > 0 ? 'fails' : []);
  const sent = (await runUntil(stream, 'A#1 4', fails)).flat();
  expect(new Set(sent)).toEqual(new Set(['A#1 1', 'A#1 2', 'A#1 3', 'A#1 4']));
  expect(sent.slice(-4)).toEqual(['A#1 1', 'A#1 2', 'A#1 3', 'A#1 4']);
});

test('goes on where the last run came to, with what was written in between', async () => {
  const table = await makeTable();
  const state = new State();
  await table.put('A#1 1');
  const first = await runUntil(await table.open('TRIM_HORIZON', state), 'A#1 1');
  await table.put('A#1 2');
  const second = await runUntil(await table.open('TRIM_HORIZON', state), 'A#1 2');
  expect([first, second]).toEqual([[['A#1 1']], [['A#1 2']]]);
});

test('goes on with all that there is where the engine has forgotten its place', async () => {
  const file = join(directory, 'forgetful');
  const table = await makeTable(await startEngine(processes, { file }));
  const state = new State();
  await table.put('A#1 1', 'A#1 2', 'A#1 3');
  await runUntil(await table.open('TRIM_HORIZON', state), 'A#1 3');
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('DELETE FROM _stream_records');
  database.close();
  // The engine counts from 1 again.
  await table.put('A#2 1', 'A#2 2');
  const batches = await runUntil(await table.open('TRIM_HORIZON', state), 'A#2 2');
  expect(batches).toEqual([['A#2 1', 'A#2 2']]);
});

test('gives a function again what it says has failed, before what comes after', async () => {
  const table = await makeTable();
  const stream = await table.open('TRIM_HORIZON');
  await table.put('A#1 1', 'B#1 other', 'A#1 2', 'A#2 1', 'A#3 1');
  const batches = await runUntil(stream, 'A#3 1', (keys, batch) =>
    batch === 1 ? keys.filter((key) => key === 'A#1 2') : [],
  );
  const given = batches.flat();
  expect(given.filter((key) => key === 'A#1 2').length).toBe(2);
  expect(given.indexOf('A#2 1')).toBeGreaterThan(given.lastIndexOf('A#1 2'));
  expect(given).not.toContain('B#1 other');
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(2);
});

test('drops what fails on, once it is too old, and no more than that', async () => {
  const table = await makeTable();
  const stream = await table.open('TRIM_HORIZON');
  await table.put('A#1 1', 'A#2 1', 'A#3 1');
  const fails = (keys: string[]) => keys.filter((key) => key === 'A#1 1');
  const batches = await runUntil(stream, 'A#3 1', fails, { mostAgeSeconds: -10 });
  expect(batches).toEqual([['A#1 1', 'A#2 1'], ['A#3 1']]);
});

test('a table that was made without a stream is refused', async () => {
  const { StreamSpecification: _, ...without } = aTable;
  const table = { ...without, TableName: 'without-stream' };
  await ensureTable(endpoint, table);
  await expect(ensureTable(endpoint, { ...aTable, TableName: 'without-stream' })).rejects.toThrow(
    /keeps no stream/,
  );
});
