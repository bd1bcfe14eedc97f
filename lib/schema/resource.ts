import * as z from 'zod/mini';
import { storedForm } from './stored-form.ts';

/**
 * A field of a resource, defined once: what may be sent, patched and replied, and how it is stored,
 * follow from it.
 */
export interface ResourceField<T, Empty = undefined, Out extends T = T> {
  schema: z.ZodMiniType<T>;
  /** The schema of replies, and of what is stored: it does not transform, as `schema` may do with what was sent. */
  output: z.ZodMiniType<Out>;
  /** The value of a resource that does not have the field; undefined where every resource has it. */
  empty: Empty;
  description: string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: what the helpers need of a field does not depend on its type.
export type Fields = Record<string, ResourceField<any, any, any>>;

/** A field's value as it is sent: `null` too where it may be absent. */
type InputOf<F> =
  F extends ResourceField<infer T, infer Empty, infer _> ? T | Extract<Empty, null> : never;
/** As it is answered. */
type ValueOf<F> =
  F extends ResourceField<infer _, infer Empty, infer Out> ? Out | Extract<Empty, null> : never;
/** A value of the field in a patch: `null` clears a map. */
type PatchOf<F> = F extends ResourceField<infer T, Nothing, infer _> ? T | null : InputOf<F>;
type Values<F extends Fields> = { [K in keyof F]: ValueOf<F[K]> };
/** The schema of a field as it is stored: not at all where it is empty. */
type StoredSchemaOf<F> =
  F extends ResourceField<infer _, infer Empty, infer Out>
    ? Empty extends undefined
      ? z.ZodMiniType<Out>
      : z.ZodMiniOptional<z.ZodMiniType<Out>>
    : never;
type StoredShape<F extends Fields> = { [K in keyof F]: StoredSchemaOf<F[K]> };
type Stored<F extends Fields> = z.output<z.ZodMiniObject<StoredShape<F>>>;

interface ResourceOptions<Out> {
  output?: z.ZodMiniType<Out>;
  description?: string;
}

const field =
  <Empty>(empty: Empty) =>
  <T, Out extends T = T>(
    schema: z.ZodMiniType<T>,
    { output = schema as z.ZodMiniType<Out>, description }: ResourceOptions<Out> = {},
  ): ResourceField<T, Empty, Out> => ({ schema, output, empty, description });

/** A field that every resource has. */
export const required = field(undefined);
/** A field that may be absent. Its value is then `null`: to send `null` or to leave it out is the same. */
export const nullable = field(null);
/** A list, which is empty if there are no values. */
export const list = field<never[]>([]);
type Nothing = Record<string, never>;
/** Values by keys of the client's, which is empty if there are none. A patch names those that change. */
export const map = field<Nothing>({});

const describe = <S extends z.ZodMiniType>(schema: S, { description }: Fields[string]): S =>
  description === undefined ? schema : (schema.check(z.describe(description)) as S);

const shapeOf = (fields: Fields, of: (field: Fields[string]) => z.ZodMiniType): never =>
  Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, of(one)])) as never;

/** The shape of what is sent to make a resource: what it leaves out is as if it were empty. */
export const inputShape = <F extends Fields>(
  fields: F,
): { [K in keyof F]: z.ZodMiniType<InputOf<F[K]>> } =>
  shapeOf(fields, (one) =>
    one.empty === undefined
      ? describe(one.schema, one)
      : z.pipe(
          describe(z.nullish(one.schema), one),
          z.transform((value) => value ?? one.empty),
        ),
  );

/** The shape of a merge patch (RFC 7396): `null` clears a field that can be absent. */
export const patchShape = <F extends Fields>(
  fields: F,
): { [K in keyof F]: z.ZodMiniType<PatchOf<F[K]> | undefined> } =>
  shapeOf(fields, (one) => {
    if (one.empty === undefined) return describe(z.optional(one.schema), one);
    const patch = describe(z.nullish(one.schema), one);
    // In a patch, `null` clears a map, and an empty map changes nothing: they are not the same.
    if (!Array.isArray(one.empty)) return patch;
    // `null` becomes an empty list: so two patches that ask for the same look the same.
    return z.pipe(
      patch,
      z.transform((value) => (value === null ? one.empty : value)),
    );
  });

/** The shape of replies: every field, always. */
export const outputShape = <F extends Fields>(
  fields: F,
): { [K in keyof F]: z.ZodMiniType<ValueOf<F[K]>> } =>
  shapeOf(fields, (one) => (one.empty === null ? z.nullable(one.output) : one.output));

/** The shape of what is stored: a field that is empty is left out. */
export const storedShape = <F extends Fields>(fields: F): StoredShape<F> =>
  shapeOf(fields, (one) => {
    const form = storedForm(one.output);
    return one.empty === undefined ? form : z.optional(form);
  });

const isEmpty = (value: unknown, { empty }: Fields[string]): boolean =>
  value === empty || (isObject(empty) && isObject(value) && Object.keys(value).length === 0);

/** Whether a value is an object or a list. */
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** DynamoDB keeps no order in a map. So a map is sorted by its keys. */
const sortKeys = (value: unknown): unknown =>
  isObject(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The stored form of a resource: its fields without those that are empty. */
export const toStored = <F extends Fields>(fields: F, values: Values<F>): Stored<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [
      name,
      isEmpty(values[name], one) ? undefined : values[name],
    ]),
  ) as Stored<F>;

/** The fields of a resource from what is stored. */
export const fromStored = <F extends Fields>(fields: F, stored: Stored<F>): Values<F> => {
  const values = new Map<string, unknown>(Object.entries(stored));
  return Object.fromEntries(
    Object.entries(fields).map(([name, { empty }]) => [name, sortKeys(values.get(name) ?? empty)]),
  ) as Values<F>;
};

/** A resource after a patch: what the patch does not name stays. */
export const applyPatch = <T extends object, P extends { [K in keyof P]: unknown }>(
  before: T,
  patch: P,
): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
});
