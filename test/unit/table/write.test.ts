import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openTable } from '../../../lib/table/client.ts';
import {
  absent,
  all,
  atVersion,
  type Condition,
  compare,
  either,
  lacks,
  present,
} from '../../../lib/table/condition.ts';
import { type AttributesOf, Kind } from '../../../lib/table/kind.ts';
import { Place } from '../../../lib/table/place.ts';
import { check, put, remove, update } from '../../../lib/table/write.ts';
import '../support.ts';

// What the expressions mean is asked of the engine.

const table = openTable();

/** Of these names, three are reserved words of DynamoDB. */
const kind = new Kind(new Place('THINGS#<id>', 'THING'), {
  holds: 'a thing',
  attributes: z.object({
    role: z.optional(z.string()),
    name: z.optional(z.string()),
    size: z.optional(z.number()),
    marks: z.optional(z.record(z.string(), z.string())),
    version: z.int(),
  }),
});
type Thing = AttributesOf<typeof kind>;

const newKey = () => kind.key({ id: randomUUID() });
/** The key of an item with these attributes; of none without them. */
const having = async (thing?: Thing) => {
  const key = newKey();
  if (thing) await table.transact([put(key, thing)]);
  return key;
};
const attributesAt = async (key: ReturnType<typeof newKey>) => {
  const item = await table.get(key);
  return item && { ...item, pk: undefined, sk: undefined };
};

const one: Thing = { role: 'agent', size: 5, version: 3 };

test.each<[string, Condition<Thing>, Thing | undefined, boolean]>([
  ['absent, and there is none', absent, undefined, true],
  ['absent, and there is one', absent, one, false],
  ['present, and there is one', present, one, true],
  ['present, and there is none', present, undefined, false],
  ['equal', compare('role', '=', 'agent'), one, true],
  ['not equal', compare('role', '=', 'owner'), one, false],
  ['equal to what is not there', compare('name', '=', 'Ana'), one, false],
  ['another', compare('role', '<>', 'owner'), one, true],
  ['not another', compare('role', '<>', 'agent'), one, false],
  ['below', compare('size', '<', 6), one, true],
  ['not below', compare('size', '<', 5), one, false],
  ['at most', compare('size', '<=', 5), one, true],
  ['not at most', compare('size', '<=', 4), one, false],
  ['above', compare('size', '>', 4), one, true],
  ['not above', compare('size', '>', 5), one, false],
  ['below, and there is none', compare('size', '<', 6), undefined, false],
  ['without an attribute', lacks('name'), one, true],
  ['without an attribute, and there is none', lacks('name'), undefined, true],
  ['not without an attribute', lacks('role'), one, false],
  ['at a version', atVersion(3), one, true],
  ['at another version', atVersion(2), one, false],
  ['both', all(lacks('name'), atVersion(3)), one, true],
  ['the first of both', all(lacks('name'), atVersion(2)), one, false],
  ['the second of both', all(lacks('role'), atVersion(3)), one, false],
  ['either, the first', either(lacks('name'), atVersion(2)), one, true],
  ['either, the second', either(lacks('role'), atVersion(3)), one, true],
  ['neither', either(lacks('role'), atVersion(2)), one, false],
  ['between', all(compare('size', '>', 4), compare('size', '<', 6)), one, true],
  [
    'either in both',
    all(either(lacks('name'), lacks('role')), either(atVersion(2), lacks('role'))),
    one,
    false,
  ],
])('a condition holds, or not: %s', async (_what, condition, thing, holds) => {
  const key = await having(thing);
  const refused = (existing?: Thing) => new Error(`stands: ${existing?.version}`);
  const after = { name: 'Eva', version: 9 };
  const terms = { condition, refused };
  const writes = [
    [check(key, condition, refused), thing],
    [update(key, { set: after }, terms), { ...thing, ...after }],
    [put(key, after, terms), after],
    [remove(key, terms), undefined],
  ] as const;
  for (const [write, result] of writes) {
    const written = table.transact([write]);
    if (holds) await written;
    else await expect(written).rejects.toThrow(`stands: ${thing?.version}`);
    expect(await attributesAt(key)).toEqual(holds ? result : thing);
    await table.transact([thing ? put(key, thing) : remove(key)]);
  }
  expect(await table.update(key, { set: after }, condition)).toBe(holds);
});

test('two values for one comparison are refused, as the second would be that of both', () => {
  expect(() => either(atVersion(1), atVersion(2))).toThrow(':version_is has two values');
  expect(either(atVersion(1), atVersion(1)).values).toEqual({ ':version_is': 1 });
});

test('an update sets, adds and removes, and leaves the rest', async () => {
  const key = await having({ ...one, name: 'Ana' });
  await table.transact([
    update(key, { set: { role: 'owner' }, add: { version: 1, size: -2 }, remove: ['name'] }),
  ]);
  expect(await attributesAt(key)).toEqual({ role: 'owner', size: 3, version: 4 });
  await table.transact([update(key, { remove: ['role', 'size'] })]);
  expect(await attributesAt(key)).toEqual({ version: 4 });
});

test('an update removes what it sets to undefined, and keys of a map', async () => {
  const key = await having({ ...one, marks: { 'x-1': 'x', 'y.2': 'y' } });
  const change = { set: { role: undefined }, removeKeys: { marks: ['y.2', 'z'] } };
  await table.transact([update(key, change)]);
  expect(await attributesAt(key)).toEqual({ size: 5, version: 3, marks: { 'x-1': 'x' } });
});

test('an update makes an item, and what is added to nothing counts from 0', async () => {
  const key = newKey();
  expect(await table.update(key, { add: { version: 2 } })).toBe(true);
  expect(await attributesAt(key)).toEqual({ version: 2 });
});

test('an update and its condition may name the same attribute', async () => {
  const key = await having(one);
  await table.transact([
    update(key, { set: { role: 'owner' }, add: { version: 1 } }, { condition: atVersion(3) }),
  ]);
  expect(await attributesAt(key)).toEqual({ ...one, role: 'owner', version: 4 });
});

test('a put replaces all of an item, stores nothing that is undefined, and keeps its own key', async () => {
  const [from, to] = [await having(one), newKey()];
  const read = (await table.get(from))!;
  await table.transact([put(to, { ...read, role: undefined })]);
  expect(await table.getAll([from, to])).toEqual([
    { pk: from.pk, sk: from.sk, ...one },
    { pk: to.pk, sk: to.sk, size: 5, version: 3 },
  ]);
  await table.transact([put(to, { version: 1 })]);
  expect(await attributesAt(to)).toEqual({ version: 1 });
});

test('a removed item is gone, and one that was not there stays so', async () => {
  const key = await having(one);
  for (const _ of [1, 2]) {
    await table.transact([remove(key)]);
    expect(await table.get(key)).toBeUndefined();
  }
});
