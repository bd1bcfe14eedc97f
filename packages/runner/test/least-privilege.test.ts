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
import { ownDirectory } from './support.ts';
import { aTable } from './table-properties.ts';

const { TableName } = aTable;
const table = tableArn(TableName);

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
  { actions: ['dynamodb:Query'], resources: [`${table}/index/color`] },
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

const directory = ownDirectory();
let proxy: Awaited<ReturnType<typeof startTableProxy>>;
let tableEndpoint: string;
let admin: DynamoDBClient;
const processes = new Processes();

beforeAll(async () => {
  tableEndpoint = await startEngine(processes, 'memory');
  await ensureTable(tableEndpoint, aTable);
  admin = adminClient(tableEndpoint);
  proxy = await startTableProxy(tableEndpoint, [reader, writer, counting, keptOut], 'pk');
});

afterAll(async () => {
  await proxy?.close();
  await processes.close();
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

const put = (Item: Key) => new PutItemCommand({ TableName, Item });
const update = (Key: Key) => new UpdateItemCommand({ TableName, Key });
const transaction = (...TransactItems: TransactWriteItem[]) =>
  new TransactWriteItemsCommand({ TransactItems });
const putItem = (Item: Key) => ({ Put: { TableName, Item } });
const absent = { TableName, ConditionExpression: 'attribute_not_exists(pk)' };
const checkItem = (Key: Key) => ({ ConditionCheck: { ...absent, Key } });
const get = (Key: Key) => new GetItemCommand({ TableName, Key, ConsistentRead: true });
/** Looks for the item with this key, where the condition calls its partition `:v`. */
const query = (condition: string, { pk, sk }: Key) =>
  new QueryCommand({
    TableName,
    KeyConditionExpression: condition,
    ...(condition.includes('#k') && { ExpressionAttributeNames: { '#k': 'pk' } }),
    ExpressionAttributeValues: { ':v': pk, ...(condition.includes(':sk') && { ':sk': sk }) },
  });
const stored = async (key: Key) => (await admin.send(get(key))).Item;

/** It is refused to a function what it may not do with a resource. */
const expectDenied = (
  fn: LocalFunction,
  command: unknown,
  action: string,
  resource = table,
): Promise<void> =>
  expect(as(fn).send(command as never)).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: `${fn.name} is not authorized to perform: dynamodb:${action} on resource: ${resource}`,
  });

describe('a function', () => {
  test('does what its role allows, and nothing else', async () => {
    const key = newKey();
    await expectDenied(reader, put(key), 'PutItem');
    expect(await stored(key)).toBeUndefined();
    await as(writer).send(put(key));
    expect(await stored(key)).toEqual(key);
    expect((await as(reader).send(get(key))).Item).toEqual(key);
    await expectDenied(writer, get(key), 'GetItem');
  });

  test('does it with the items of its role only, where its role says with what their keys begin', async () => {
    const own = newKey();
    const other = otherKey();
    await as(counting).send(update(own));
    expect((await as(counting).send(get(own))).Item).toEqual(own);
    await expectDenied(counting, update(other), 'UpdateItem');
    const both = [own, other].map((Key) => ({
      Update: { TableName, Key, UpdateExpression: 'REMOVE nothing' },
    }));
    await as(counting).send(transaction(both[0]!));
    await expectDenied(counting, transaction(...both), 'UpdateItem');
    expect(await stored(other)).toBeUndefined();
    expect((await as(counting).send(query('pk = :v', own))).Items).toEqual([own]);
    expect((await as(counting).send(query('#k = :v AND sk = :sk', own))).Items).toEqual([own]);
    // The last names no partition in a form that the runner reads.
    for (const [condition, key] of [
      ['pk = :v', other],
      ['#k = :v AND sk = :sk', other],
      [':v = pk', own],
    ] as const) {
      await expectDenied(counting, query(condition, key), 'Query');
    }
  });

  describe('is kept from the items that its role denies, though it may do the same with all others', () => {
    const batch = (requests: object[]) =>
      new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } });
    const reads = (keys: Key[]) => keys.map((Key) => ({ Get: { TableName, Key } }));
    test.each<[action: string, what: string, command: (keys: [Key, ...Key[]]) => unknown]>([
      ['GetItem', 'alone', ([key]) => get(key)],
      ['PutItem', 'alone', ([key]) => put(key)],
      ['UpdateItem', 'alone', ([key]) => update(key)],
      ['DeleteItem', 'alone', ([Key]) => new DeleteItemCommand({ TableName, Key })],
      ['Query', 'alone', ([key]) => query('#k = :v AND sk = :sk', key)],
      [
        'BatchGetItem',
        'among others',
        (Keys) => new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }),
      ],
      ['BatchWriteItem', 'put', (keys) => batch(keys.map((Item) => ({ PutRequest: { Item } })))],
      [
        'BatchWriteItem',
        'deleted',
        (keys) => batch(keys.map((Key) => ({ DeleteRequest: { Key } }))),
      ],
      ['ConditionCheckItem', 'in a transaction', (keys) => transaction(...keys.map(checkItem))],
      [
        'GetItem',
        'in a transaction',
        (keys) => new TransactGetItemsCommand({ TransactItems: reads(keys) }),
      ],
    ])('%s, %s', async (action, _what, command) => {
      const send = (...keys: [Key, ...Key[]]) => as(keptOut).send(command(keys) as never);
      await send(newKey());
      await send(newKey(), newKey());
      await expectDenied(keptOut, command([otherKey()]), action);
      await expectDenied(keptOut, command([otherKey(), newKey()]), action);
    });

    test('and where the runner can’t read which items it means', async () => {
      await expectDenied(keptOut, query(':v = pk', newKey()), 'Query');
    });
  });

  test('does it with the tables of its role only', async () => {
    const other = (TableName: string) => new GetItemCommand({ TableName, Key: newKey() });
    await expectDenied(reader, other('another'), 'GetItem', tableArn('another'));
    // Allowed, and so for the engine to answer.
    await expect(as(reader).send(other('no-such-table'))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('reads the indexes of its role only, and not the table by one', async () => {
    const query = (attribute: string, IndexName?: string) =>
      new QueryCommand({
        TableName,
        IndexName,
        KeyConditionExpression: '#k = :v',
        ExpressionAttributeNames: { '#k': attribute },
        ExpressionAttributeValues: { ':v': { S: randomUUID() } },
      });
    const byIndex = (name: 'color' | 'shape') => query(name, name);

    expect((await as(reader).send(byIndex('color'))).Items).toEqual([]);
    await expectDenied(reader, byIndex('shape'), 'Query', `${table}/index/shape`);
    await expectDenied(reader, query('pk'), 'Query');
    await expectDenied(
      reader,
      new ScanCommand({ TableName, IndexName: 'color' }),
      'Scan',
      `${table}/index/color`,
    );
  });

  describe('writes a transaction', () => {
    test('if it may do all that is in it', async () => {
      const keys = [newKey(), newKey()];
      await as(writer).send(transaction(...keys.map(putItem)));
      expect(await Promise.all(keys.map(stored))).toEqual(keys);
    });

    test.each([
      ['DeleteItem', (Key: Key) => ({ Delete: { TableName, Key } })],
      ['ConditionCheckItem', checkItem],
      ['UpdateItem', (Key: Key) => ({ Update: { TableName, Key, UpdateExpression: 'REMOVE a' } })],
    ])('or else nothing of it: %s', async (action, item) => {
      const key = newKey();
      await expectDenied(writer, transaction(putItem(key), item(newKey())), action);
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
    await expectDenied(writer, batch(TableName, 'another'), 'BatchWriteItem', tableArn('another'));
    expect(await stored(key)).toBeUndefined();
    await as(writer).send(batch(TableName));
    expect(await stored(key)).toEqual(key);
  });
});

test('who is not a function may do nothing', async () => {
  const key = newKey();
  await admin.send(put(key));
  for (const accessKey of ['local', 'LOCALUnknown', `${accessKeyOf(reader)}2`]) {
    await expect(clientOf(accessKey).send(get(key))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringMatching(/^Nobody is not authorized/),
    });
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
  const denying = (like: object, more: object = {}) => ({
    Effect: 'Deny',
    Condition: { 'ForAnyValue:StringLike': like, ...more },
  });

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
    denying({ 'dynamodb:Attributes': ['A#*'] }),
    denying({ ...keys, 'aws:username': ['a*'] }),
    denying(keys, { Bool: { a: 'true' } }),
    denying({ 'dynamodb:LeadingKeys': ['A*#'] }),
    { Effect: 'Deny', Condition: {} },
  ])('is refused where it says what the runner can’t play: %j', (more) => {
    expect(() => statementsOf(more)).toThrow(/the runner does not know/);
  });
});
