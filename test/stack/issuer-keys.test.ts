import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  accessKeyOf,
  type LocalFunction,
  region,
  startTableProxy,
  tableArn,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { platformKeyKey } from '../../lib/table/keys.ts';

// Who can write the issuer's keys can make tokens, and who can write platform keys can act for everyone. So each
// function's role is tried, with every request to the table that any function sends.

const { functions, tableEndpoint, tableName: TableName } = inject('service');

type Key = { pk: { S: string }; sk: { S: string } };
/** Of an item as such a partition has it. */
const keyIn = (partition: string): Key =>
  partition === platformKeys
    ? { pk: { S: partition }, sk: { S: `KEY#${randomUUID()}` } }
    : { pk: { S: `${partition}https://issuer.example/${randomUUID()}` }, sk: { S: 'KEYS' } };

const reads: Record<string, (key: Key) => unknown> = {
  GetItem: (Key) => new GetItemCommand({ TableName, Key }),
  BatchGetItem: (Key) =>
    new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }),
  Query: ({ pk }) =>
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    }),
};
const writes: Record<string, (key: Key) => unknown> = {
  PutItem: (Item) => new PutItemCommand({ TableName, Item }),
  UpdateItem: (Key) => new UpdateItemCommand({ TableName, Key }),
  DeleteItem: (Key) => new DeleteItemCommand({ TableName, Key }),
};
const inTransaction = (Item: Key) =>
  new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item } }] });

const platformKeys = platformKeyKey('').pk;

let proxy: Awaited<ReturnType<typeof startTableProxy>>;
beforeAll(async () => {
  proxy = await startTableProxy(tableEndpoint, functions, 'pk');
});
afterAll(() => proxy.close());

const clientOf = (fn: LocalFunction) =>
  new DynamoDBClient({
    endpoint: proxy.endpoint,
    region,
    credentials: { accessKeyId: accessKeyOf(fn), secretAccessKey: 'any' },
  });

/** The requests of these that the function may send. */
const allowed = async (
  fn: LocalFunction,
  commands: Record<string, (key: Key) => unknown>,
  partition: string,
): Promise<string[]> => {
  const client = clientOf(fn);
  const names: string[] = [];
  for (const [name, command] of Object.entries(commands)) {
    const denied = await client.send(command(keyIn(partition)) as never).then(
      () => false,
      (error: Error) => {
        if (error.name !== 'AccessDeniedException') throw error;
        return true;
      },
    );
    if (!denied) names.push(name);
  }
  client.destroy();
  return names;
};

const functionFiles = await loadOperations();
const functionOf = ({ operation: { id } }: (typeof functionFiles)[number]) =>
  functions.find(({ name }) => name.endsWith(`-${id}`))!;

/** Functions whose roles say the same may do the same: the first of them is tried. */
const alike = Map.groupBy(functionFiles, (functionFile) =>
  JSON.stringify([isRouted(functionFile), functionOf(functionFile).statements]),
);

test.each(
  [...alike.values()].map(
    (all) => [all.map(({ operation }) => operation.id).join(', '), all[0]!] as const,
  ),
)('%s', async (_ids, functionFile) => {
  const fn = functionOf(functionFile);
  const granted = new Set(
    fn.statements.flatMap(({ effect, actions, resources, leadingKeys }) =>
      effect === 'Allow' && !leadingKeys && resources.includes(tableArn(TableName)) ? actions : [],
    ),
  );
  const may = (commands: object) =>
    Object.keys(commands).filter((name) => granted.has(`dynamodb:${name}`));
  const all = { ...writes, inTransaction };
  if (functionFile.operation.id === 'renewIssuerKeys') {
    expect(await allowed(fn, { ...all, ...reads }, 'ISSUER#')).toEqual([
      'PutItem',
      'inTransaction',
    ]);
    expect(await allowed(fn, { ...all, ...reads }, 'OTHER#')).toEqual([]);
    expect(await allowed(fn, { ...all, ...reads }, platformKeys)).toEqual([]);
    return;
  }
  for (const partition of ['ISSUER#', platformKeys]) {
    expect(await allowed(fn, all, partition)).toEqual([]);
    expect(await allowed(fn, reads, partition)).toEqual(isRouted(functionFile) ? may(reads) : []);
  }
  // The same requests for other items are what the operation declares.
  expect(await allowed(fn, { ...writes, ...reads }, 'OTHER#')).toEqual(
    may({ ...writes, ...reads }),
  );
});
