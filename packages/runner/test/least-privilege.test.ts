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

const owning = made('Owning', [
  {
    actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
    resources: [table],
    leadingKeys: ['TEST#', 'MORE#'],
  },
  { actions: ['dynamodb:DeleteItem'], resources: [table], leadingKeys: ['MORE#'] },
]);

const everything = [
  'BatchGetItem',
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
  proxy = await startTableProxy(tableEndpoint, [reader, writer, counting, owning, keptOut], 'pk');
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
const removal = (Key: Key) => ({ Update: { TableName, Key, UpdateExpression: 'REMOVE a' } });
const reads = (keys: Key[]) => ({
  TransactItems: keys.map((Key) => ({ Get: { TableName, Key } })),
});
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

/** A function is refused what it may not do with a resource. */
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

test('a function does what its role allows, and nothing else', async () => {
  const key = newKey();
  await expectDenied(reader, put(key), 'PutItem');
  expect(await stored(key)).toBeUndefined();
  await as(writer).send(put(key));
  expect(await stored(key)).toEqual(key);
  expect((await as(reader).send(get(key))).Item).toEqual(key);
  await expectDenied(writer, get(key), 'GetItem');
});

test('a function does it with the items of its role only, where its role says with what their keys begin', async () => {
  const [own, other] = [newKey(), otherKey()];
  await as(counting).send(update(own));
  expect((await as(counting).send(get(own))).Item).toEqual(own);
  await expectDenied(counting, update(other), 'UpdateItem');
  const [ofOwn, ofOther] = [own, other].map(removal);
  await as(counting).send(transaction(ofOwn!));
  await expectDenied(counting, transaction(ofOwn!, ofOther!), 'UpdateItem');
  expect(await stored(other)).toBeUndefined();
  for (const condition of ['pk = :v', '#k = :v AND sk = :sk']) {
    expect((await as(counting).send(query(condition, own))).Items).toEqual([own]);
    await expectDenied(counting, query(condition, other), 'Query');
  }
  // In no form that the runner reads.
  await expectDenied(counting, query(':v = pk', own), 'Query');
});

describe('a function that may write some partitions', () => {
  const keyIn = (begin: string): Key => ({ ...newKey(), pk: { S: `${begin}${randomUUID()}` } });
  const deletion = (Key: Key) => ({ Delete: { TableName, Key } });
  const forms = [
    ['PutItem', putItem, ['TEST#', 'MORE#']],
    ['UpdateItem', removal, ['TEST#', 'MORE#']],
    ['DeleteItem', deletion, ['MORE#']],
  ] as const;

  test.each(forms)('writes those by %s, all in one transaction', async (_action, form, open) => {
    await as(owning).send(transaction(...open.map((begin) => form(keyIn(begin)))));
  });

  test.each(forms)('writes no other by %s, and nothing beside', async (action, form, open) => {
    const closed = ['OTHER#', 'TEST_FACT#', 'TEST', 'test#', 'A#TEST#', '#MORE#', ''];
    const others = ['TEST#', 'MORE#'].filter((one) => !open.some((begin) => begin === one));
    for (const begin of [...closed, ...others]) {
      const [own, foreign] = [keyIn('TEST#'), keyIn(begin)];
      await expectDenied(owning, transaction(putItem(own), form(foreign)), action);
      await expectDenied(owning, transaction(form(foreign)), action);
      expect(await Promise.all([own, foreign].map(stored))).toEqual([undefined, undefined]);
    }
  });

  test('reads none of them', async () => {
    await expectDenied(owning, get(keyIn('TEST#')), 'GetItem');
    await expectDenied(owning, transaction(checkItem(keyIn('TEST#'))), 'ConditionCheckItem');
  });
});

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
  ['ConditionCheckItem', 'in a transaction', (keys) => transaction(...keys.map(checkItem))],
])(
  'a function that may do %s with all others is kept from an item that its role denies, %s',
  async (action, _what, command) => {
    const send = (...keys: [Key, ...Key[]]) => as(keptOut).send(command(keys) as never);
    await send(newKey());
    await send(newKey(), newKey());
    await expectDenied(keptOut, command([otherKey()]), action);
    await expectDenied(keptOut, command([otherKey(), newKey()]), action);
  },
);

test('a function with a denial is refused where the runner can’t read which items it means', async () => {
  await expectDenied(keptOut, query(':v = pk', newKey()), 'Query');
});

test('a function uses the tables of its role only', async () => {
  const other = (TableName: string) => new GetItemCommand({ TableName, Key: newKey() });
  await expectDenied(reader, other('another'), 'GetItem', tableArn('another'));
  // Allowed, and so for the engine to answer.
  await expect(as(reader).send(other('no-such-table'))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('a function reads the indexes of its role only, and not the table by one', async () => {
  const byIndex = (attribute: string, IndexName?: string) =>
    new QueryCommand({
      TableName,
      IndexName,
      KeyConditionExpression: '#k = :v',
      ExpressionAttributeNames: { '#k': attribute },
      ExpressionAttributeValues: { ':v': { S: randomUUID() } },
    });
  const scan = new ScanCommand({ TableName, IndexName: 'color' });
  expect((await as(reader).send(byIndex('color', 'color'))).Items).toEqual([]);
  await expectDenied(reader, byIndex('shape', 'shape'), 'Query', `${table}/index/shape`);
  await expectDenied(reader, byIndex('pk'), 'Query');
  await expectDenied(reader, scan, 'Scan', `${table}/index/color`);
});

test.each([
  ['DeleteItem', (Key: Key) => ({ Delete: { TableName, Key } })],
  ['ConditionCheckItem', checkItem],
  ['UpdateItem', removal],
])(
  'a function writes a transaction if it may do all that is in it, and not with a %s that it may not',
  async (action, item) => {
    const keys: [Key, Key] = [newKey(), newKey()];
    await expectDenied(writer, transaction(putItem(keys[0]), item(newKey())), action);
    expect(await stored(keys[0])).toBeUndefined();
    await as(writer).send(transaction(...keys.map(putItem)));
    expect(await Promise.all(keys.map(stored))).toEqual(keys);
  },
);

test('what no function of ours sends is allowed to none', async () => {
  const Item = newKey();
  const batch = new BatchWriteItemCommand({
    RequestItems: { [TableName]: [{ PutRequest: { Item } }] },
  });
  await expectDenied(writer, batch, 'BatchWriteItem', tableArn('undefined'));
  expect(await stored(Item)).toBeUndefined();
  const read = new TransactGetItemsCommand(reads([Item]));
  await expectDenied(reader, read, 'TransactGetItems', tableArn('undefined'));
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
  const user = made('User', [
    { actions: ['dynamodb:PutItem'], resources: [table] },
    { actions: ['dynamodb:UpdateItem'], resources: [table], leadingKeys: ['MORE#', 'TEST#'] },
  ]);
  const usageFile = join(directory, 'usage.tsv');
  const noting = await startTableProxy(tableEndpoint, [user], 'pk', usageFile);
  const client = clientOf(accessKeyOf(user), noting.endpoint);
  await expect(client.send(get(key))).rejects.toThrow(/not authorized/);
  await expect(client.send(update(otherKey()))).rejects.toThrow(/not authorized/);
  for (const command of [put(key), put(key), update(key)]) await client.send(command as never);
  await noting.close();
  const lines = ['PutItem', 'UpdateItem'].map(
    (action) => `Made-User\tdynamodb:${action}\t${table}`,
  );
  expect(await readFile(usageFile, 'utf8')).toBe(`${lines.join('\n')}\tTEST#\n`);
});

/** What is read of a role that has this beside an action and a resource. */
const statementsOf = (more: object) => {
  const Statement = [{ Action: 'dynamodb:GetItem', Resource: table, ...more }];
  const Properties = { Policies: [{ PolicyDocument: { Statement } }] };
  const ofFunction = { Code: { S3Key: 'a.zip' }, Role: { 'Fn::GetAtt': ['Role', 'Arn'] } };
  const resources = {
    Role: { Type: 'AWS::IAM::Role', Properties },
    Fn: { Type: 'AWS::Lambda::Function', Properties: ofFunction },
  };
  return readFunctions('.', resources, (value) => value)[0]?.statements;
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
  [denying(keys), { effect: 'Deny', leadingKeys: ['A#'] }],
])('a role in the template says %j', (more, read) => {
  const statement = { actions: ['dynamodb:GetItem'], resources: [table], ...read };
  expect(statementsOf(more)).toEqual([statement]);
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
])('a role in the template is refused where it says what the runner can’t play: %j', (more) => {
  expect(() => statementsOf(more)).toThrow(/the runner does not know/);
});
