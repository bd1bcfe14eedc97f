import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import type { Item } from '../../lib/table/table.ts';
import { newApiKey } from '../../lib/tokens/api-key.ts';
import { table } from '../support/table.ts';

// Looks at what all other tests have stored. Alone, it finds nothing and fails.

const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
const examples = page
  .split('\n')
  .filter((line) => line.startsWith('{"pk":'))
  .map((line): Item => JSON.parse(line));

/** What an item is: how its partition key begins, and the words in capitals of its sort key. */
const kindOf = ({ pk, sk }: Item): string =>
  `${String(pk).split('#')[0]} ${/^[A-Z]{3,}/.exec(String(sk))?.[0] ?? ''}`.trim();

/** Very large numbers are read as what JSON does not know. */
const textOf = (item: Item): string =>
  JSON.stringify(item, (_name, value) => (typeof value === 'bigint' ? String(value) : value));

const stored = new Map<string, Set<string>>();
/** Items that have an API key as its user has it. */
const withApiKey: Item[] = [];
const apiKey = /ls[kp]_\w{22}_\w{43}/;

beforeAll(async () => {
  let last: Item | undefined;
  do {
    const scan = { TableName: inject('service').tableName, ExclusiveStartKey: last };
    const { Items = [], LastEvaluatedKey } = await table.send(new ScanCommand(scan));
    for (const item of Items) {
      // The tiers of plans are the tests' own.
      const kind = item.pk === 'PLANS' ? 'PLANS' : kindOf(item);
      if (apiKey.test(textOf(item))) withApiKey.push(item);
      const names = stored.get(kind) ?? new Set();
      for (const name of Object.keys(item)) names.add(name);
      stored.set(kind, names);
    }
    last = LastEvaluatedKey;
  } while (last);
});

test('the architecture shows one example of each kind of item that is stored, and no others', () => {
  expect(stored.size).toBeGreaterThan(20);
  expect(examples.map(kindOf).sort()).toEqual([...stored.keys()].sort());
});

test('each example has only attributes that are stored', () => {
  const unknown = examples.flatMap((item) =>
    Object.keys(item)
      .filter((name) => !stored.get(kindOf(item))?.has(name))
      .map((name) => `${kindOf(item)}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('no item has the secret of an API key', () => {
  expect(stored.get('ORG KEY')?.has('secrets')).toBe(true);
  expect(apiKey.test(JSON.stringify({ reply: newApiKey('organization', randomUUID()).text }))).toBe(
    true,
  );
  expect(withApiKey).toEqual([]);
});
