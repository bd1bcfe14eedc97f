import { randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Item, toKey } from '../../lib/table/table.ts';
import { newApiKey } from '../../lib/tokens/api-key.ts';
import { loadKinds } from '../../tools/openapi/items.ts';
import { table } from '../support/table.ts';

// Looks at what all other tests have stored. Alone, it finds nothing and fails.

type AnyKind = Awaited<ReturnType<typeof loadKinds>>[number]['kind'];

const nameOf = ({ partitionTemplate, sortTemplate }: AnyKind) =>
  `${partitionTemplate}, ${sortTemplate}`;
/** How much of a kind's keys is the same in all of them: a kind with more of it goes before one whose ids fit as well. */
const fixedLength = (kind: AnyKind) => nameOf(kind).replace(/<\w+>/g, '').length;

/** The kinds of which an item can be: one, if they do what they should. */
const kindsOf = (item: Item, kinds: readonly AnyKind[]): AnyKind[] => {
  const all = kinds.filter((kind) => kind.find(toKey(item)));
  const longest = Math.max(...all.map(fixedLength));
  return all.filter((kind) => fixedLength(kind) === longest);
};

/** The names of what is stored and not in what was read of it, at any depth. */
const unreadOf = (stored: unknown, read: unknown, path = ''): string[] => {
  if (typeof stored !== 'object' || stored === null) return [];
  if (typeof read !== 'object' || read === null) return [path];
  // A list without names refuses by itself what it does not know.
  if (Array.isArray(stored) && !Array.isArray(read)) return [];
  const readOf = new Map(Object.entries(read));
  return Object.entries(stored).flatMap(([name, value]) =>
    readOf.has(name) ? unreadOf(value, readOf.get(name), `${path}.${name}`) : [`${path}.${name}`],
  );
};

/** The words in capitals with which a key begins: no ids, so that each fault is told once. */
const beginOf = (key: unknown): string => /^[A-Z_]{3,}/.exec(String(key))?.[0] ?? '…';

/** What is wrong with an item: its kind, and what that does not know. */
const faultOf = (item: Item, [kind, ...more]: readonly AnyKind[]): string | undefined => {
  if (!kind) return `no kind: ${beginOf(item.pk)}, ${beginOf(item.sk)}`;
  if (more.length > 0) return `several kinds: ${[kind, ...more].map(nameOf).join(' and ')}`;
  try {
    const unread = unreadOf(item, kind.parse(item));
    return unread.length === 0 ? undefined : `${nameOf(kind)} has not ${unread.join(', ')}`;
  } catch (error) {
    return `${nameOf(kind)}: ${error}`;
  }
};

/** Very large numbers are read as what JSON does not know. */
const textOf = (item: Item): string =>
  JSON.stringify(item, (_name, value) => (typeof value === 'bigint' ? String(value) : value));

let kinds: AnyKind[];
const stored = new Set<AnyKind>();
const faults = new Set<string>();
/** Items that have an API key as its user has it. */
const withApiKey: Item[] = [];
const apiKey = /ls[kp]_\w{22}_\w{43}/;

beforeAll(async () => {
  kinds = (await loadKinds()).map(({ kind }) => kind);
  let last: Item | undefined;
  do {
    const scan = { TableName: inject('service').tableName, ExclusiveStartKey: last };
    const { Items = [], LastEvaluatedKey } = await table.send(new ScanCommand(scan));
    for (const item of Items) {
      if (apiKey.test(textOf(item))) withApiKey.push(item);
      const found = kindsOf(item, kinds);
      for (const kind of found) stored.add(kind);
      const fault = faultOf(item, found);
      if (fault) faults.add(fault);
    }
    last = LastEvaluatedKey;
  } while (last);
});

test('each kind of item is stored', () => {
  expect(kinds.length).toBeGreaterThan(20);
  expect(kinds.filter((kind) => !stored.has(kind)).map(nameOf)).toEqual([]);
});

test('each item that is stored is of one kind, which reads all of it', () => {
  expect([...faults]).toEqual([]);
  // What is of no kind, and what a kind does not know, would be told.
  const [kind] = kindsOf({ pk: `NAMES#${randomUUID()}`, sk: 'a' }, kinds);
  const item = { pk: 'NAMES#a', sk: 'a', name: 'Ana' };
  expect(faultOf(item, [kind!])).toBeUndefined();
  expect(faultOf({ ...item, age: 1 }, [kind!])).toMatch(/ has not \.age$/);
  expect(faultOf({ ...item, name: 1 }, [kind!])).toContain('NAMES#<organizationId>, <id>: ');
  expect(faultOf(item, kindsOf({ pk: 'NAME#a', sk: 'a' }, kinds))).toMatch(/^no kind/);
});

test('no item has the secret of an API key', () => {
  expect([...stored].map(nameOf)).toContain('KEY#<keyId>, KEY');
  expect(apiKey.test(JSON.stringify({ reply: newApiKey('organization', randomUUID()).text }))).toBe(
    true,
  );
  expect(withApiKey).toEqual([]);
});
