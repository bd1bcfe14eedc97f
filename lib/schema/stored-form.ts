import * as z from 'zod/mini';

/** A schema's form without its limits: so what is stored stays readable when a limit becomes tighter. */
export const storedForm = <T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T> =>
  formOf(schema) as z.ZodMiniType<T>;

const formOf = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return z.string();
    case 'array':
      return z.array(formOf(def.element));
    case 'object':
      return z.object(
        Object.fromEntries(Object.entries(def.shape).map(([name, one]) => [name, formOf(one)])),
      );
    case 'record':
      return z.record(z.string(), formOf(def.valueType));
    case 'union':
      return z.union(def.options.map(formOf));
    default:
      return schema;
  }
};
