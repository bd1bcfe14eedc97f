import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  accessKeyOf,
  adminClient,
  ensureTable,
  type LocalFunction,
  Processes,
  region,
  type Statement,
  startEngine,
  startTableProxy,
  tableArn,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFunctions } from '../src/template/functions.ts';
import { makeDirectory, remove } from './support.ts';
import { aTable } from './table-properties.ts';

const { TableName: tableName } = aTable;
const table = tableArn(tableName);
const index = 'color';
const otherIndex = 'shape';

/** Unless told, a statement allows. */
type Given = Omit<Statement, 'effect'> & Partial<Statement>;

const made = (logicalId: string, given: Given[]): LocalFunction => ({
  logicalId,
  name: `Made-${logicalId}`,
  code: '',
  handler: '',
  timeoutSeconds: 1,
  memoryMegabytes: 128,
  environment: {},
  statements: given.map((one) => ({ effect: 'Allow', ...one })),
});

const reader = made('Reader', [
  { actions: ['dynamodb:GetItem'], resources: [table, tableArn('no-such-table')] },
  { actions: ['dynamodb:Query'], resources: [`${table}/index/${index}`] },
]);
const writer = made('Writer', [
  { actions: ['dynamodb:PutItem', 'dynamodb:BatchWriteItem'], resources: [table] },
]);

const counting = made('Counting', [
  {
    actions: ['dynamodb:UpdateItem', 'dynamodb:GetItem'],
    resources: [table],
    leadingKeys: ['TEST#'],
  },
  { actions: ['dynamodb:Query'], resources: [table], leadingKeys: ['TEST#'] },
]);

const everything = [
  'BatchGetItem',
  'BatchWriteItem',
  'ConditionCheckItem',
  'DeleteItem',
  'GetItem',
  'PutItem',
  'Query',
  'UpdateItem',
].map((action) => `dynamodb:${action}`);
const keptOut = made('KeptOut', [
  { actions: everything, resources: [table] },
  { effect: 'Deny', actions: everything, resources: [table], leadingKeys: ['OTHER#'] },
]);

let directory: string;
let proxy: Awaited<ReturnType<typeof startTableProxy>>;
let tableEndpoint: string;
let admin: DynamoDBClient;
const processes = new Processes();

beforeAll(async () => {
  directory = await makeDirectory();
  tableEndpoint = await startEngine(processes, 'memory');
  await ensureTable(tableEndpoint, aTable);
  admin = adminClient(tableEndpoint);
  proxy = await startTableProxy(tableEndpoint, [reader, writer, counting, keptOut], 'pk');
});

afterAll(async () => {
  await proxy?.close();
  await processes.close();
  await remove(directory);
});

const clientOf = (accessKeyId: string, endpoint = proxy.endpoint) =>
  new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey: 'any' },
    maxAttempts: 1,
  });
const as = (fn: LocalFunction) => clientOf(accessKeyOf(fn));

const newKey = () => ({ pk: { S: `TEST#${randomUUID()}` }, sk: { S: 'TEST' } });
type Key = ReturnType<typeof newKey>;
const otherKey = (): Key => ({ ...newKey(), pk: { S: `OTHER#${randomUUID()}` } });

const put = (key: Key) => new PutItemCommand({ TableName: tableName, Item: key });
const get = (key: Key) =>
  new GetItemCommand({ TableName: tableName, Key: key, ConsistentRead: true });
/** Looks for the item with this key, where the condition calls its partition `:v`. */
const query = (condition: string, { pk, sk }: Key) =>
  new QueryCommand({
    TableName: tableName,
    KeyConditionExpression: condition,
    ...(condition.includes('#k') && { ExpressionAttributeNames: { '#k': 'pk' } }),
    ExpressionAttributeValues: { ':v': pk, ...(condition.includes(':sk') && { ':sk': sk }) },
  });
const stored = async (key: Key) => (await admin.send(get(key))).Item;

const denied = (fn: string, action: string, resource: string) => ({
  name: 'AccessDeniedException',
  message: `${fn} is not authorized to perform: dynamodb:${action} on resource: ${resource}`,
});

describe('a function', () => {
  test('does what its role allows, and nothing else', async () => {
    const key = newKey();
    await expect(as(reader).send(put(key))).rejects.toMatchObject(
      denied('Made-Reader', 'PutItem', table),
    );
    expect(await stored(key)).toBeUndefined();
    await as(writer).send(put(key));
    expect(await stored(key)).toEqual(key);
    expect((await as(reader).send(get(key))).Item).toEqual(key);
    await expect(as(writer).send(get(key))).rejects.toMatchObject(
      denied('Made-Writer', 'GetItem', table),
    );
  });

  test('does it with the items of its role only, where its role says with what their keys begin', async () => {
    const update = (Key: Key) => new UpdateItemCommand({ TableName: tableName, Key });
    const own = newKey();
    const other = otherKey();
    await as(counting).send(update(own));
    expect((await as(counting).send(get(own))).Item).toEqual(own);
    await expect(as(counting).send(update(other))).rejects.toMatchObject(
      denied('Made-Counting', 'UpdateItem', table),
    );
    const both = [own, other].map((Key) => ({
      Update: { TableName: tableName, Key, UpdateExpression: 'REMOVE nothing' },
    }));
    await as(counting).send(new TransactWriteItemsCommand({ TransactItems: both.slice(0, 1) }));
    await expect(
      as(counting).send(new TransactWriteItemsCommand({ TransactItems: both })),
    ).rejects.toMatchObject(denied('Made-Counting', 'UpdateItem', table));
    expect(await stored(other)).toBeUndefined();
    expect((await as(counting).send(query('pk = :v', own))).Items).toEqual([own]);
    expect((await as(counting).send(query('#k = :v AND sk = :sk', own))).Items).toEqual([own]);
    // The last names no partition in a form that the runner reads.
    for (const [condition, key] of [
      ['pk = :v', other],
      ['#k = :v AND sk = :sk', other],
      [':v = pk', own],
    ] as const) {
      await expect(as(counting).send(query(condition, key))).rejects.toMatchObject(
        denied('Made-Counting', 'Query', table),
      );
    }
  });

  describe('is kept from the items that its role denies, though it may do the same with all others', () => {
    const batch = (requests: object[]) =>
      new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } });
    const condition = { TableName: tableName, ConditionExpression: 'attribute_not_exists(b)' };
    test.each<[action: string, what: string, command: (keys: [Key, ...Key[]]) => unknown]>([
      ['GetItem', 'alone', ([key]) => get(key)],
      ['PutItem', 'alone', ([key]) => put(key)],
      ['UpdateItem', 'alone', ([Key]) => new UpdateItemCommand({ TableName: tableName, Key })],
      ['DeleteItem', 'alone', ([Key]) => new DeleteItemCommand({ TableName: tableName, Key })],
      ['Query', 'alone', ([key]) => query('#k = :v AND sk = :sk', key)],
      [
        'BatchGetItem',
        'among others',
        (Keys) => new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys } } }),
      ],
      [
        'BatchWriteItem',
        'that are put',
        (keys) => batch(keys.map((Item) => ({ PutRequest: { Item } }))),
      ],
      [
        'BatchWriteItem',
        'that are deleted',
        (keys) => batch(keys.map((Key) => ({ DeleteRequest: { Key } }))),
      ],
      [
        'ConditionCheckItem',
        'in a transaction',
        (keys) =>
          new TransactWriteItemsCommand({
            TransactItems: keys.map((Key) => ({ ConditionCheck: { ...condition, Key } })),
          }),
      ],
      [
        'GetItem',
        'in a transaction',
        (keys) =>
          new TransactGetItemsCommand({
            TransactItems: keys.map((Key) => ({ Get: { TableName: tableName, Key } })),
          }),
      ],
    ])('%s, %s', async (action, _what, command) => {
      const send = (...keys: [Key, ...Key[]]) => as(keptOut).send(command(keys) as never);
      await send(newKey());
      await send(newKey(), newKey());
      const refusal = denied('Made-KeptOut', action, table);
      await expect(send(otherKey())).rejects.toMatchObject(refusal);
      await expect(send(otherKey(), newKey())).rejects.toMatchObject(refusal);
    });

    test('and where the runner can’t read which items it means', async () => {
      await expect(as(keptOut).send(query(':v = pk', newKey()))).rejects.toMatchObject(
        denied('Made-KeptOut', 'Query', table),
      );
    });
  });

  test('does it with the tables of its role only', async () => {
    const other = (TableName: string) => new GetItemCommand({ TableName, Key: newKey() });
    await expect(as(reader).send(other('another'))).rejects.toMatchObject(
      denied('Made-Reader', 'GetItem', tableArn('another')),
    );
    // Allowed, and so for the engine to answer.
    await expect(as(reader).send(other('no-such-table'))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('reads the indexes of its role only, and not the table by one', async () => {
    const query = (attribute: string, IndexName?: string) =>
      new QueryCommand({
        TableName: tableName,
        IndexName,
        KeyConditionExpression: '#k = :v',
        ExpressionAttributeNames: { '#k': attribute },
        ExpressionAttributeValues: { ':v': { S: randomUUID() } },
      });
    const byIndex = (name: 'color' | 'shape') => query(name, name);

    expect((await as(reader).send(byIndex(index))).Items).toEqual([]);
    await expect(as(reader).send(byIndex(otherIndex))).rejects.toMatchObject(
      denied('Made-Reader', 'Query', `${table}/index/${otherIndex}`),
    );
    await expect(as(reader).send(query('pk'))).rejects.toMatchObject(
      denied('Made-Reader', 'Query', table),
    );
    await expect(
      as(reader).send(new ScanCommand({ TableName: tableName, IndexName: index })),
    ).rejects.toMatchObject(denied('Made-Reader', 'Scan', `${table}/index/${index}`));
  });

  describe('writes a transaction', () => {
    const transact = (...TransactItems: TransactWriteItem[]) =>
      as(writer).send(new TransactWriteItemsCommand({ TransactItems }));
    const putItem = (Item: Key) => ({ Put: { TableName: tableName, Item } });
    const condition = { TableName: tableName, ConditionExpression: 'attribute_not_exists(pk)' };

    test('if it may do all that is in it', async () => {
      const keys = [newKey(), newKey()];
      await transact(...keys.map(putItem));
      expect(await Promise.all(keys.map(stored))).toEqual(keys);
    });

    test.each([
      ['DeleteItem', (Key: Key) => ({ Delete: { TableName: tableName, Key } })],
      ['ConditionCheckItem', (Key: Key) => ({ ConditionCheck: { ...condition, Key } })],
      [
        'UpdateItem',
        (Key: Key) => ({
          Update: {
            TableName: tableName,
            Key,
            UpdateExpression: 'SET a = :a',
            ExpressionAttributeValues: { ':a': { S: 'a' } },
          },
        }),
      ],
    ])('or else nothing of it: %s', async (action, item) => {
      const key = newKey();
      await expect(transact(putItem(key), item(newKey()))).rejects.toMatchObject(
        denied('Made-Writer', action, table),
      );
      expect(await stored(key)).toBeUndefined();
    });
  });

  test('writes a batch if it may do so with every table in it', async () => {
    const key = newKey();
    const batch = (...tables: string[]) =>
      new BatchWriteItemCommand({
        RequestItems: Object.fromEntries(
          tables.map((name) => [name, [{ PutRequest: { Item: key } }]]),
        ),
      });
    await expect(as(writer).send(batch(tableName, 'another'))).rejects.toMatchObject(
      denied('Made-Writer', 'BatchWriteItem', tableArn('another')),
    );
    expect(await stored(key)).toBeUndefined();
    await as(writer).send(batch(tableName));
    expect(await stored(key)).toEqual(key);
  });
});

test('who is not a function may do nothing', async () => {
  const key = newKey();
  await admin.send(put(key));
  for (const accessKey of ['local', 'LOCALUnknown', `${accessKeyOf(reader)}2`]) {
    await expect(clientOf(accessKey).send(get(key))).rejects.toMatchObject(
      denied('Nobody', 'GetItem', table),
    );
  }
  expect((await as(reader).send(get(key))).Item).toEqual(key);
});

test('each permission is noted when it is used, and not when it is refused', async () => {
  const key = newKey();
  const user = made('User', [{ actions: ['dynamodb:PutItem'], resources: [table] }]);
  const usageFile = join(directory, 'usage.tsv');
  const noting = await startTableProxy(tableEndpoint, [user], 'pk', usageFile);
  const client = clientOf(accessKeyOf(user), noting.endpoint);
  await expect(client.send(get(key))).rejects.toThrow(/not authorized/);
  await client.send(put(key));
  await client.send(put(key));
  await noting.close();
  expect(await readFile(usageFile, 'utf8')).toBe(`Made-User\tdynamodb:PutItem\t${table}\n`);
});

describe('a role in the template', () => {
  const statementsOf = (more: object) => {
    const Statement = [{ Action: 'dynamodb:GetItem', Resource: table, ...more }];
    const Role = {
      Type: 'AWS::IAM::Role',
      Properties: { Policies: [{ PolicyDocument: { Statement } }] },
    };
    const Fn = {
      Type: 'AWS::Lambda::Function',
      Properties: { Code: { S3Key: 'a.zip' }, Role: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    };
    return readFunctions('.', { Role, Fn }, (value) => value)[0]?.statements;
  };
  const keys = { 'dynamodb:LeadingKeys': ['A#*'] };

  test.each([
    [{ Effect: 'Allow' }, { effect: 'Allow' }],
    [
      { Effect: 'Allow', Condition: { 'ForAllValues:StringLike': keys } },
      { effect: 'Allow', leadingKeys: ['A#'] },
    ],
    [
      { Effect: 'Deny', Condition: { 'ForAnyValue:StringLike': keys } },
      { effect: 'Deny', leadingKeys: ['A#'] },
    ],
  ])('says %j', (more, read) => {
    expect(statementsOf(more)).toEqual([
      { actions: ['dynamodb:GetItem'], resources: [table], ...read },
    ]);
  });

  test.each([
    { Effect: 'allow' },
    { Effect: 'Allow', Condition: { 'ForAnyValue:StringLike': keys } },
    { Effect: 'Deny', Condition: { 'ForAllValues:StringLike': keys } },
    { Effect: 'Deny', Condition: { 'ForAnyValue:StringEquals': keys } },
    { Effect: 'Deny', Condition: { 'ForAnyValue:StringLike': { 'dynamodb:Attributes': ['A#*'] } } },
    {
      Effect: 'Deny',
      Condition: { 'ForAnyValue:StringLike': { ...keys, 'aws:username': ['a*'] } },
    },
    { Effect: 'Deny', Condition: { 'ForAnyValue:StringLike': keys, Bool: { a: 'true' } } },
    {
      Effect: 'Deny',
      Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['A*#'] } },
    },
    { Effect: 'Deny', Condition: {} },
  ])('is refused where it says what the runner can’t play: %j', (more) => {
    expect(() => statementsOf(more)).toThrow(/the runner does not know/);
  });
});
