import * as z from 'zod/mini';

/** A query parameter, which may be sent once only. API Gateway gives each as the list of its values. */
export const queryParameter = <T>(schema: z.ZodMiniType<T, string>) =>
  z.pipe(
    z.array(z.string()).check(z.length(1, 'must be sent once')),
    z.pipe(
      z.transform(([value = '']: string[]) => value),
      schema,
    ),
  );

/** The kind of a query parameter, by its schema: one value, a list of values, or an object by what is in brackets. */
type ParameterKind = 'value' | 'list' | 'object';

export const kindOf = (schema: z.core.$ZodType): ParameterKind => {
  const { type, innerType } = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType;
  };
  if (type === 'optional' && innerType) return kindOf(innerType);
  return type === 'array' ? 'list' : type === 'record' ? 'object' : 'value';
};

/** How a query parameter is written in an address. */
export const formOf = (name: string, kind: ParameterKind): string =>
  ({ value: `${name}=…`, list: `${name}=a&${name}=b`, object: `${name}[key]=…` })[kind];

/** Whether a value has a sign that people write between several values. */
export const looksLikeList = (value: string): boolean => /[,;|]/.test(value);
