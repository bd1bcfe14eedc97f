import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { toWrites } from '../../../lib/facts/transaction.ts';
import { createLeadWrites, deleteLeadWrites } from '../../../lib/leads/lead-writes.ts';
import type { Grant, TransactItem, Write } from '../../../lib/table/table.ts';
import { estimatedUnits } from '../../../lib/table/units.ts';
import { someOrigin } from '../../support/origin.ts';
import { leadOf, pipelineOf } from '../leads/leads-in-process.ts';
import { surroundings } from '../support.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient(), {
  marshallOptions: { removeUndefinedValues: true },
});
const TableName = surroundings.tableName;

/** What DynamoDB says that a transaction took: of the table, and of its indexes. */
const unitsOf = async (TransactItems: TransactItem[]) => {
  const command = new TransactWriteCommand({ TransactItems, ReturnConsumedCapacity: 'INDEXES' });
  const { ConsumedCapacity: [consumed] = [] } = await client.send(command);
  const ofTable = consumed?.Table?.CapacityUnits ?? 0;
  return { ofTable, ofIndexes: (consumed?.CapacityUnits ?? 0) - ofTable };
};

const put = (item: object): TransactItem => ({
  Put: { TableName, Item: { pk: randomUUID(), sk: 's', ...item } },
});
/** So that an item has so many bytes: `pk`, a UUID, `sk`, `s`, and `text` have 45 beside it. */
const withBytes = (bytes: number) => put({ text: 'x'.repeat(bytes - 45) });

const values = {
  'an empty text': '',
  'a text of 1 KiB': 'x'.repeat(1024),
  'letters of two bytes': 'ß'.repeat(800),
  'letters of four bytes': '😀'.repeat(300),
  'small numbers': Array.from({ length: 400 }, (_, n) => n),
  'long numbers': Array.from({ length: 60 }, (_, n) => -1 / (n + 3)),
  'booleans and nulls': Array.from({ length: 600 }, (_, n) => (n % 2 ? null : true)),
  'lists in lists': Array.from({ length: 100 }, (_, n) => [[n], 'a']),
  'maps in maps': Array.from({ length: 60 }, (_, n) => ({
    [`name${n}`]: { a: 'ä', b: undefined },
  })),
  bytes: new Uint8Array(1100),
};

test.each(Object.entries(values))(
  'a put counts no less than it takes: %s',
  async (_what, value) => {
    const write = put({ value });
    const { ofTable } = await unitsOf([write]);
    expect(estimatedUnits([write])).toBeGreaterThanOrEqual(ofTable);
  },
);

test.each([
  [46, 2],
  [1024, 2],
  [1025, 4],
  [9 * 1024, 18],
  [9 * 1024 + 1, 20],
])('an item of %i bytes takes, and counts as, %i units', async (bytes, units) => {
  const write = withBytes(bytes);
  expect([(await unitsOf([write])).ofTable, estimatedUnits([write])]).toEqual([units, units]);
});

test('what names no item counts by what it names, and as two at least', async () => {
  const Key = { pk: randomUUID(), sk: 's' };
  const common = { TableName, Key };
  const update = (text: string): TransactItem => ({
    Update: {
      ...common,
      UpdateExpression: 'SET #text = :text',
      ExpressionAttributeNames: { '#text': 'text' },
      ExpressionAttributeValues: { ':text': text },
    },
  });
  const others: [TransactItem, number][] = [
    [update('x'.repeat(3000)), 6],
    [{ ConditionCheck: { ...common, ConditionExpression: 'attribute_exists(pk)' } }, 2],
    [update('x'), 2],
    [{ Delete: common }, 2],
  ];
  for (const [write, estimate] of others) {
    const { ofTable } = await unitsOf([write]);
    expect(estimatedUnits([write])).toBe(estimate);
    // The item itself is not known: so a check or removal of a large one takes more.
    if (estimate > 2) expect(estimate).toBeGreaterThanOrEqual(ofTable);
  }
});

const toItem = ({ refused: _, namesRecord: __, ...write }: Write<Grant>): TransactItem =>
  Object.fromEntries(
    Object.entries(write).map(([kind, input]) => [kind, { ...input, TableName }]),
  ) as TransactItem;

test('a large lead counts as the table’s part of what it takes, and its indexes as nothing', async () => {
  const pipeline = pipelineOf({ unique_contact: ['email'] });
  const lead = leadOf(pipeline, {
    contact_name: 'é'.repeat(100),
    email: 'm@example.com',
    phone: '+5511987654321',
    external_id: 'crm-1',
    tags: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(50, 'ä')),
    value_cents: 1,
    fields: { text: 'x'.repeat(1000) },
  });
  const actor = { organizationId: randomUUID() };
  const created = toWrites(createLeadWrites(actor, lead, pipeline), someOrigin).map(toItem);
  const { ofTable, ofIndexes } = await unitsOf(created);
  expect(ofTable).toBeGreaterThan(150);
  expect(ofIndexes).toBeGreaterThan(0);
  expect(estimatedUnits(created)).toBeGreaterThanOrEqual(ofTable);
  expect(estimatedUnits(created)).toBeLessThan(1.1 * ofTable);
  const stored = { lead, version: 1, unique: ['email' as const], filterable: [] };
  const removed = toWrites(deleteLeadWrites(actor, stored, Date.now()), someOrigin).map(toItem);
  // Of a removal only the keys are known, and the history entry.
  expect(estimatedUnits(removed)).toBeLessThan((await unitsOf(removed)).ofTable);
});
