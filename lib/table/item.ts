import type * as z from 'zod/mini';
import type { Item } from './table.ts';

/** What an item holds of a schema's fields, in the schema's order: the table keeps none. */
export const inOrder = <S extends z.core.$ZodObject>(schema: S, item: Item): z.core.output<S> =>
  Object.fromEntries(
    Object.keys(schema._zod.def.shape).map((name) => [name, item[name]]),
  ) as z.core.output<S>;
