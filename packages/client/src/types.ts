import type { paths } from './schema.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type Operation<P extends keyof paths, M extends Method> = Exclude<paths[P][M], undefined>;

/** A value of a lead's custom field. */
export type FieldValue = string | number | boolean | string[];

/** The custom fields of an organization's leads, by key. Pass a type of your own to `createClient` to have them checked. */
export type CustomFields = Record<string, FieldValue>;

/** A response in which each `fields` has the type `F`. All keys are optional, as a lead need not have every field. */
type TypedResponse<T, F> = CustomFields extends F
  ? T
  : T extends readonly (infer One)[]
    ? TypedResponse<One, F>[]
    : T extends object
      ? {
          [K in keyof T]: K extends 'fields'
            ? { [Key in keyof F]?: F[Key] }
            : TypedResponse<T[K], F>;
        }
      : T;

/** A request body in which each `fields` has the type `F`. `null` clears one field, or all of them. */
type TypedBody<T, F> = CustomFields extends F
  ? T
  : T extends readonly (infer One)[]
    ? TypedBody<One, F>[]
    : T extends object
      ? {
          [K in keyof T]: K extends 'fields'
            ? { [Key in keyof F]?: F[Key] | null } | null
            : TypedBody<T[K], F>;
        }
      : T;

/** A query in which `fields` has the keys of `F`. All values of a query are text. */
type TypedQuery<T, F> = CustomFields extends F
  ? T
  : T extends object
    ? { [K in keyof T]: K extends 'fields' ? { [Key in keyof F]?: string } : T[K] }
    : T;

/** The paths that have an operation with this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type Parameters<Op, In extends string> = Op extends { parameters: infer P }
  ? In extends keyof P
    ? P[In]
    : undefined
  : undefined;

type HeadersOf<Op> = NonNullable<Parameters<Op, 'header'>>;

/**
 * Whether an operation takes a header. Without any headers `HeadersOf` is `never`, of which TypeScript says that it has
 * every key: so this is checked first.
 */
type TakesHeader<Op, Header extends string> = [HeadersOf<Op>] extends [never]
  ? false
  : Header extends keyof HeadersOf<Op>
    ? true
    : false;

/** The paths of operations about whoever calls, which need no organization. */
export type UserPathOf<M extends Method> = Extract<PathOf<M>, '/me'>;

/** One property of a request: absent if the operation takes none, optional if the operation does not require it. */
type RequestOption<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : undefined extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value };

type BodyOption<Op, F> = Op extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: TypedBody<B, F> }
  : unknown;

type HeaderOption<Op, Header extends string, Name extends string> =
  TakesHeader<Op, Header> extends true ? { [K in Name]?: string | undefined } : unknown;

/** What a caller of the client passes for one operation. */
export type RequestOf<Op, F = CustomFields> = { signal?: AbortSignal | undefined } & RequestOption<
  'path',
  Parameters<Op, 'path'>
> &
  RequestOption<'query', TypedQuery<Parameters<Op, 'query'>, F>> &
  BodyOption<Op, F> &
  HeaderOption<Op, 'If-Match', 'ifMatch'> &
  HeaderOption<Op, 'Idempotency-Key', 'idempotencyKey'>;

/** The arguments of a call: the request is optional if all that is in it is optional. */
export type RequestArguments<Op, F = CustomFields> =
  Record<never, never> extends RequestOf<Op, F>
    ? [request?: RequestOf<Op, F>]
    : [request: RequestOf<Op, F>];

type Json<Response> = Response extends { content: { 'application/json': infer B } } ? B : undefined;

/** The body of an operation's successful response. */
export type DataOf<Op, F = CustomFields> = Op extends { responses: infer R }
  ? 200 extends keyof R
    ? TypedResponse<Json<R[200]>, F>
    : 201 extends keyof R
      ? TypedResponse<Json<R[201]>, F>
      : 202 extends keyof R
        ? TypedResponse<Json<R[202]>, F>
        : undefined
  : never;

/** A successful response of the API. */
export interface ApiResponse<Data> {
  data: Data;
  status: number;
  /** The version of what is in `data`, for `ifMatch`. */
  etag: string | undefined;
  /** Whether the API repeats its reply to an earlier request with the same `idempotencyKey`. */
  replayed: boolean;
  requestId: string | undefined;
}

/** The paths of lists that come in pages. */
export type ListPath = {
  [P in PathOf<'get'>]: DataOf<Operation<P, 'get'>> extends { next_cursor: string | null }
    ? P
    : never;
}[PathOf<'get'>];

/** The type of a list's items. */
export type ItemOf<P extends ListPath, F = CustomFields> =
  DataOf<Operation<P, 'get'>, F> extends { items: (infer Item)[] } ? Item : never;
