import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openTable } from '../../../lib/table/client.ts';
import { type ItemOf, Kind } from '../../../lib/table/kind.ts';
import { Place } from '../../../lib/table/place.ts';
import { put } from '../../../lib/table/write.ts';
import '../support.ts';

const kind = new Kind(new Place('THINGS#<id>', '<part>'), {
  holds: 'a thing',
  attributes: z.object({ name: z.string(), count: z.optional(z.int()) }),
});

test('an item of a kind is read with its key and attributes, and nothing else', () => {
  const item = { pk: 'THINGS#a', sk: 'b', name: 'Ana', other: 1 };
  expect(kind.parse(item)).toEqual({ pk: 'THINGS#a', sk: 'b', name: 'Ana' });
  expect(kind.idsOf(kind.parse(item))).toEqual({ id: 'a', part: 'b' });
  expect([kind.prefix, kind.holds]).toEqual(['THINGS#', 'a thing']);
});

test.each([
  ['lacks an attribute', {}],
  ['has another type', { name: 1 }],
])('what %s is not read', (_what, attributes) => {
  expect(() => kind.parse({ pk: 'THINGS#a', sk: 'b', ...attributes })).toThrow();
});

test('by a key of a kind, the table gives what the kind reads', async () => {
  const table = openTable();
  const [whole, half, none] = ['whole', 'half', 'none'].map((part) =>
    kind.key({ id: randomUUID(), part }),
  ) as [ReturnType<typeof kind.key>, ReturnType<typeof kind.key>, ReturnType<typeof kind.key>];
  await table.transact([
    put(whole, { name: 'Ana', count: 2 }),
    { Put: { Item: { pk: half.pk, sk: half.sk, count: 2 } } },
  ]);
  const item: ItemOf<typeof kind> = { pk: whole.pk, sk: 'whole', name: 'Ana', count: 2 };
  expect(await table.get(whole)).toEqual(item);
  expect(await table.get(none)).toBeUndefined();
  expect(await table.getAll([none, undefined, whole])).toEqual([undefined, undefined, item]);
  expect(await table.getAllEventually([whole, none])).toEqual([item, undefined]);
  await expect(table.get(half)).rejects.toThrow();
  const query = { condition: 'pk = :pk', values: { ':pk': whole.pk }, limit: 9, consistent: true };
  expect((await table.query({ kind, ...query })).items).toEqual([item]);
  const wrong = { ...query, values: { ':pk': half.pk } };
  await expect(table.query({ kind, ...wrong })).rejects.toThrow();
});
