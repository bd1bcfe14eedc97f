import type { paths } from './schema.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;

/** What a custom field of a lead can be. */
export type FieldValue = string | number | boolean | string[];

/** The custom fields of an organization's leads, by their keys: given to `createClient`, to have them typed. */
export type CustomFields = Record<string, FieldValue>;

/** With the custom fields `F` wherever an answer has a lead: a lead need not have each. */
type Answered<T, F> = CustomFields extends F
  ? T
  : T extends readonly (infer One)[]
    ? Answered<One, F>[]
    : T extends object
      ? { [K in keyof T]: K extends 'fields' ? { [Key in keyof F]?: F[Key] } : Answered<T[K], F> }
      : T;

/** The same of what is sent: `null` clears one, or all. */
type Sent<T, F> = CustomFields extends F
  ? T
  : T extends readonly (infer One)[]
    ? Sent<One, F>[]
    : T extends object
      ? {
          [K in keyof T]: K extends 'fields'
            ? { [Key in keyof F]?: F[Key] | null } | null
            : Sent<T[K], F>;
        }
      : T;

/** The same of a query, where all values are text. */
type Filtered<T, F> = CustomFields extends F
  ? T
  : T extends object
    ? { [K in keyof T]: K extends 'fields' ? { [Key in keyof F]?: string } : T[K] }
    : T;

/** The paths that take a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type Parameters<Op, In extends string> = Op extends { parameters: infer P }
  ? In extends keyof P
    ? P[In]
    : undefined
  : undefined;

type HeadersOf<Op> = NonNullable<Parameters<Op, 'header'>>;

/** Nothing is a key of no headers, though TypeScript says that everything is one of `never`. */
type Has<Op, Header extends string> = [HeadersOf<Op>] extends [never]
  ? false
  : Header extends keyof HeadersOf<Op>
    ? true
    : false;

/** The paths that take a method and need no organization. */
export type UserPathOf<M extends Method> = {
  [P in PathOf<M>]: Has<Operation<P, M>, 'X-Organization-Id'> extends true ? never : P;
}[PathOf<M>];

/** A part of a request: left out where there is none, optional where it may be. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : undefined extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value };

type Body<Op, F> = Op extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: Sent<B, F> }
  : unknown;

type Takes<Op, Header extends string, Name extends string> =
  Has<Op, Header> extends true ? { [K in Name]?: string | undefined } : unknown;

/** What an operation is sent. */
export type RequestOf<Op, F = CustomFields> = { signal?: AbortSignal | undefined } & Part<
  'path',
  Parameters<Op, 'path'>
> &
  Part<'query', Filtered<Parameters<Op, 'query'>, F>> &
  Body<Op, F> &
  Takes<Op, 'If-Match', 'ifMatch'> &
  Takes<Op, 'Idempotency-Key', 'idempotencyKey'>;

/** The request, which may be left out where nothing has to be in it. */
export type Given<Op, F = CustomFields> =
  Record<never, never> extends RequestOf<Op, F>
    ? [request?: RequestOf<Op, F>]
    : [request: RequestOf<Op, F>];

type Json<Response> = Response extends { content: { 'application/json': infer B } } ? B : undefined;

/** The body of an operation's success. */
export type DataOf<Op, F = CustomFields> = Op extends { responses: infer R }
  ? 200 extends keyof R
    ? Answered<Json<R[200]>, F>
    : 201 extends keyof R
      ? Answered<Json<R[201]>, F>
      : 202 extends keyof R
        ? Answered<Json<R[202]>, F>
        : undefined
  : never;

/** What the API answered. */
export interface Answer<Data> {
  data: Data;
  status: number;
  /** The version of what was answered, for `ifMatch`. */
  etag: string | undefined;
  /** Whether this is the answer to an earlier request with the same key. */
  replayed: boolean;
  requestId: string | undefined;
}

/** The lists that come in pages. */
export type ListPath = {
  [P in PathOf<'get'>]: DataOf<Operation<P, 'get'>> extends { next_cursor: string | null }
    ? P
    : never;
}[PathOf<'get'>];

/** What a list is of. */
export type ItemOf<P extends ListPath, F = CustomFields> =
  DataOf<Operation<P, 'get'>, F> extends { items: (infer Item)[] } ? Item : never;
