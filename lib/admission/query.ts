import * as z from 'zod/mini';
import type { ErrorDetail } from '../errors/errors.ts';
import { perhaps } from '../errors/nearest.ts';
import { issueDetails } from '../schema/issues.ts';
import { formOf, kindOf, looksLikeList } from '../schema/query-parameter.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;
export type Parameters = Readonly<Record<string, unknown>>;

/** What a schema makes of a query's parameters. Adds what is wrong with them to the problems. */
export const readQuery = (
  schema: z.ZodMiniObject,
  parameters: Parameters,
  problems: ErrorDetail[],
): unknown => {
  const shape: Shape = schema.shape;
  const result = z.safeParse(schema, nested(shape, parameters));
  if (result.success) return result.data;
  const details = issueDetails(result.error, (name) => unknownParameter(shape, name));
  problems.push(...details.map((detail) => withForm(shape, parameters, detail)));
  return undefined;
};

/** Parameters such as `fields[source]=google` as OpenAPI's `deepObject`: an object by what is in the brackets. */
const nested = (shape: Shape, parameters: Parameters): Parameters => {
  const all = new Map<string, unknown>();
  const objects = new Map<string, [string, unknown][]>();
  for (const [name, values] of Object.entries(parameters)) {
    const [, object = '', key = ''] = /^(\w+)\[([^[\]]*)\]$/.exec(name) ?? [];
    // zod leaves out a key `__proto__`: it is refused under its whole name.
    if (kindIn(shape, object) !== 'object' || key === '__proto__') all.set(name, values);
    else objects.set(object, [...(objects.get(object) ?? []), [key, values]]);
  }
  for (const [name, entries] of objects) {
    if (!all.has(name)) all.set(name, Object.fromEntries(entries));
  }
  return Object.fromEntries(all);
};

/** Undefined for what is no parameter here. */
const kindIn = (shape: Shape, name: string) => {
  const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return schema && kindOf(schema);
};

const unknownParameter = (shape: Shape, name: string): string => {
  const names = Object.keys(shape);
  const [, known = ''] = /^(\w+)[.[]/.exec(name) ?? [];
  const kind = kindIn(shape, known);
  return kind
    ? `must be written as ${formOf(known, kind)}`
    : `is not a query parameter here${perhaps(name, names)}: there are ${names.join(', ') || 'none'}`;
};

/** The detail; of an object without brackets, and of a list in one value, it says how these are written, too. */
const withForm = (shape: Shape, parameters: Parameters, detail: ErrorDetail): ErrorDetail => {
  const [name = '', index] = detail.path.split('.');
  const values = parameters[name];
  const kind = kindIn(shape, name);
  if (!kind || !Array.isArray(values)) return detail;
  const form = formOf(name, kind);
  if (kind === 'object') return { ...detail, message: `must be written as ${form}` };
  if (kind !== 'list' || !looksLikeList(values[Number(index)] ?? '')) return detail;
  return { ...detail, message: `${detail.message}; several are written as ${form}` };
};
