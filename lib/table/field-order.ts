import type * as z from 'zod/mini';
import type { Item } from './table.ts';

type Schema = z.core.$ZodType;

/**
 * The fields of an item that its schema has, in the order of the schema, at every depth: the table keeps no order.
 */
export const orderFields = <S extends z.core.$ZodObject>(schema: S, item: Item): z.core.output<S> =>
  orderValue(schema, item) as z.core.output<S>;

const orderValue = (schema: Schema, value: unknown): unknown => {
  const { def } = (schema as unknown as Defined)._zod;
  if (def.shape && isRecord(value)) {
    return Object.fromEntries(
      Object.entries(def.shape).map(([name, one]) => [name, orderValue(one, value[name])]),
    );
  }
  if (def.element && Array.isArray(value)) {
    return value.map((one) => orderValue(def.element as Schema, one));
  }
  return def.innerType ? orderValue(def.innerType, value) : value;
};

/** The parts of a schema's definition: fields of an object, elements of a list, or the schema that it wraps. */
interface Defined {
  _zod: { def: { shape?: Record<string, Schema>; element?: Schema; innerType?: Schema } };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
