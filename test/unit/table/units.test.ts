import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { toWrites, type WriteOrFact } from '../../../lib/facts/transaction.ts';
import type { Lead } from '../../../lib/leads/lead.ts';
import {
  createLeadWrites,
  deleteLeadWrites,
  updateLeadWrites,
} from '../../../lib/leads/lead-writes.ts';
import type { Action, TransactItem, Write, WriteAction } from '../../../lib/table/table.ts';
import { estimatedUnits, expectedUnits } from '../../../lib/table/units.ts';
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

test('a removal counts by the item that is known to be there, and an update by the larger of both', () => {
  const Key = { pk: 'p', sk: 's' };
  const was = { text: 'x'.repeat(3000) };
  const update = (text: string) => ({
    Update: { Key, ExpressionAttributeValues: { ':text': text } },
    was,
  });
  expect(estimatedUnits([{ Delete: { Key }, was }])).toBe(6);
  expect(estimatedUnits([update('x')])).toBe(6);
  expect(estimatedUnits([update('x'.repeat(5000))])).toBe(10);
});

const toItem = ({ refused: _, namesRecord: __, was: ___, ...write }: Write<Action>): TransactItem =>
  Object.fromEntries(
    Object.entries(write).map(([kind, input]) => [kind, { ...Object(input), TableName }]),
  ) as TransactItem;

const filterable = Array.from({ length: 10 }, (_, n) => `field_${n}`);
const pipeline = pipelineOf({
  stages: ['new', 'won'].map((name) => ({ name, outcome: 'open' })),
  unique_contact: ['email'],
});
const actor = { organizationId: randomUUID() };

/** A lead with everything that a lead can have; how large its fields are says `characters`. */
const wholeLead = (n: number, characters: number) =>
  leadOf(pipeline, {
    contact_name: `${n}${'é'.repeat(100)}`,
    email: `m${n}@example.com`,
    phone: '+5511987654321',
    external_id: `crm-${n}`,
    owner_id: randomUUID(),
    tags: Array.from({ length: 20 }, (_, tag) => `${n} ${tag}`.padEnd(50, 'ä')),
    value_cents: n,
    next_step_at: '2026-12-01T13:00:00.000Z',
    fields: Object.fromEntries(filterable.map((key) => [key, 'x'.repeat(characters)])),
  });
const toStored = (lead: Lead) => ({ lead, version: 1, unique: ['email' as const], filterable });

test.each([
  ['small', 10],
  ['large', 450],
])(
  'a %s lead is estimated by what it takes to make, move, replace, shrink and remove it',
  async (_size, characters) => {
    const made = wholeLead(1, characters);
    const other = wholeLead(2, characters);
    const { id, created_at } = made;
    const states = [
      made,
      { ...made, stage: 'won', value_cents: 7 },
      { ...other, id, created_at },
      { ...other, id, created_at, tags: other.tags.slice(0, 1), fields: { field_0: 'x' } },
    ].map((lead, i) => ({ ...toStored(lead), version: i + 1 }));
    states[3]!.filterable = ['field_0'];
    const changes: [string, WriteOrFact<Action & WriteAction>[]][] = states.map((after, i) =>
      i === 0
        ? ['made', createLeadWrites(actor, made, pipeline, filterable)]
        : [
            ['', 'moved', 'replaced', 'shrunk'][i]!,
            updateLeadWrites(actor, states[i - 1]!, after.lead, pipeline, after.filterable).writes,
          ],
    );
    changes.push(['removed', deleteLeadWrites(actor, states[3]!, Date.now())]);
    for (const [what, change] of changes) {
      const writes = toWrites(change, someOrigin);
      const { ofTable, ofIndexes } = await unitsOf(writes.map(toItem));
      expect(ofIndexes).toBeGreaterThan(0);
      const share = estimatedUnits(writes) / ofTable;
      expect([what, share >= 1, share < 1.05]).toEqual([what, true, true]);
      // An item that moves within an index takes more there.
      const shareOfAll = expectedUnits(writes) / (ofTable + ofIndexes);
      expect([what, shareOfAll > 0.9, shareOfAll < 1.05]).toEqual([what, true, true]);
    }
  },
);
