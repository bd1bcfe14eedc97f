import * as z from 'zod/mini';
import { absent, all, compare, either, lacks } from '../../lib/table/condition.ts';
import { Kind } from '../../lib/table/kind.ts';
import { Place } from '../../lib/table/place.ts';
import type { Table } from '../../lib/table/table.ts';
import { check, put, remove, update } from '../../lib/table/write.ts';

const kind = new Kind(new Place('THINGS#<id>', 'THING'), {
  holds: 'a thing',
  attributes: z.object({ name: z.string(), size: z.optional(z.int()), version: z.int() }),
});

// Compiled, never run: nothing is written or asked of an item that its kind does not have.
export const typed = async (table: Table<'GetItem'>) => {
  const key = kind.key({ id: 'a' });
  const refused = () => new Error();
  // @ts-expect-error: an id is missing
  kind.key({});

  const item = await table.get(key);
  void (item?.size satisfies number | undefined);
  // @ts-expect-error: the kind has no such attribute
  void item?.colour;

  put(key, { name: 'Ana', version: 1 });
  // @ts-expect-error: an attribute is missing
  put(key, { name: 'Ana' });
  // @ts-expect-error: an attribute has another type
  put(key, { name: 1, version: 1 });
  // @ts-expect-error: the kind has no such attribute
  put(key, { name: 'Ana', version: 1, colour: 'red' });

  update(key, { set: { name: 'Ana' }, add: { size: 1 }, remove: ['size'] });
  // @ts-expect-error: the kind has no such attribute
  update(key, { set: { colour: 'red' } });
  // @ts-expect-error: no number
  update(key, { add: { name: 1 } });
  // @ts-expect-error: the kind has no such attribute
  update(key, { remove: ['colour'] });

  remove(key, { condition: all(absent, either(lacks('size'), compare('size', '<', 3))) });
  check(key, compare('version', '=', 1), refused);
  // @ts-expect-error: the kind has no such attribute
  check(key, compare('colour', '=', 'red'), refused);
  // @ts-expect-error: the attribute has another type
  check(key, compare('version', '=', '1'), refused);
  // @ts-expect-error: the kind has no such attribute
  check(key, lacks('colour'), refused);
  // @ts-expect-error: the kind has not one of the two attributes
  check(key, all(lacks('size'), lacks('colour')), refused);
  // @ts-expect-error: the kind has not one of the two attributes
  remove(key, { condition: either(lacks('colour'), lacks('size')) });
};
