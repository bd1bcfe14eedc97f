import createFetchClient from 'openapi-fetch';
import { v4 as uuid } from 'uuid';
import { assertChangesOptions, type Change, type ChangesOptions, readChanges } from './changes.ts';
import { ApiError, toRefusal } from './errors.ts';
import { type ClientOptions, checkOptions, type OrganizationClientOptions } from './options.ts';
import { type AnyRequest, assertRequest } from './request.ts';
import { retrying, wait } from './retry.ts';
import type {
  ApiResponse,
  CustomFields,
  DataOf,
  ItemOf,
  ListPath,
  Method,
  Operation,
  PathOf,
  RequestArguments,
  UserPathOf,
} from './types.ts';

/** The calls that are possible before an organization is chosen. */
export interface UserClient {
  get: Call<'get', CustomFields, UserPathOf<'get'>>;
}

type Call<M extends Method, F = CustomFields, Paths extends PathOf<M> = PathOf<M>> = <
  P extends Paths,
>(
  path: P,
  ...request: RequestArguments<Operation<P, M>, F>
) => Promise<ApiResponse<DataOf<Operation<P, M>, F>>>;

/** Calls the API. Each call throws an `ApiError` where it is refused. `F` are the custom fields of leads. */
export interface Client<F = CustomFields> {
  get: Call<'get', F>;
  post: Call<'post', F>;
  put: Call<'put', F>;
  patch: Call<'patch', F>;
  delete: Call<'delete', F>;
  /** The pages of a list, read as they are asked for. */
  pages<P extends ListPath>(
    path: P,
    ...request: RequestArguments<Operation<P, 'get'>, F>
  ): AsyncGenerator<ItemOf<P, F>[], void>;
  /** All items of a list, read page by page. */
  items<P extends ListPath>(
    path: P,
    ...request: RequestArguments<Operation<P, 'get'>, F>
  ): AsyncGenerator<ItemOf<P, F>, void>;
  /** Every change of the organization's leads and wallet, in order, each once: see `docs/changes.md`. */
  changes(options?: ChangesOptions): AsyncGenerator<Change, void>;
}

/** Every operation that writes takes a key, except those whose path or body names what can be done once only. */
const withoutKey = /^\/(leads\/\{lead_id\}\/erase$|billing\/(spends$|(spends|holds|events)\/))/;

const takesKey = (method: Method, path: string): boolean =>
  method !== 'get' && !withoutKey.test(path);

/** The statuses of responses that may have no body. */
const withoutBody = new Set([202, 204]);

/** A proxy between here and the API may also respond with 200, and a page of its own. */
// biome-ignore lint/suspicious/noExplicitAny: its type is that of `Client`.
const jsonOf = (response: Response, text = ''): any => {
  if (text === '' && withoutBody.has(response.status)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(response, undefined);
  }
};

/**
 * Makes a client that acts in one organization: that of its API key, or the organization that is named; with a token and
 * without an id, in none. `F` are the custom fields of the organization's leads. Throws a `TypeError` or `RangeError` for
 * a wrong option.
 */
export function createClient<F = CustomFields>(options: OrganizationClientOptions): Client<F>;
export function createClient(options: ClientOptions): UserClient;
export function createClient(
  options: ClientOptions & { organizationId?: string | undefined },
): Client {
  const { baseUrl, organizationId, token, retry, fetch: send } = checkOptions(options);
  // The types of requests and responses are those of `Client`.
  // biome-ignore lint/suspicious/noExplicitAny: as said.
  const api = createFetchClient<any>({
    baseUrl,
    fetch: retrying(send, token, retry),
    redirect: 'manual',
  });

  const call = async (method: Method, path: string, request: AnyRequest = {}) => {
    assertRequest(request);
    const { path: inPath, query, body, ifMatch, signal } = request;
    // All attempts share the key, so that the request has its effect once.
    const key = request.idempotencyKey ?? (takesKey(method, path) ? uuid() : undefined);
    const {
      data: text,
      error,
      response,
    } = await api.request(method, path, {
      params: { path: inPath, query },
      headers: {
        ...(organizationId && { 'X-Organization-Id': organizationId }),
        // The API refuses empty headers. Left out, they would not protect what they are meant to protect.
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      },
      body,
      parseAs: 'text',
      ...(signal && { signal }),
    });
    if (!response.ok) throw toRefusal(response, error);
    return {
      data: jsonOf(response, text as string | undefined),
      status: response.status,
      etag: response.headers.get('etag') ?? undefined,
      replayed: response.headers.get('idempotency-replayed') === 'true',
      requestId: response.headers.get('x-request-id') ?? undefined,
    };
  };
  const caller = <M extends Method>(method: M) =>
    ((path: string, request?: AnyRequest) => call(method, path, request)) as Call<M>;

  async function* pages<P extends ListPath>(path: P, request: AnyRequest = {}) {
    let cursor: string | undefined;
    do {
      const query = { ...request.query, ...(cursor && { cursor }) };
      const { data } = await call('get', path, { ...request, query });
      yield data.items as ItemOf<P>[];
      cursor = data.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }
  async function* items<P extends ListPath>(path: P, request?: AnyRequest) {
    for await (const page of pages(path, request)) yield* page;
  }
  /** A generator would look at its arguments only once somebody asks it for something. */
  const checked = <T>(request: object | undefined, list: (request?: AnyRequest) => T): T => {
    if (request !== undefined) assertRequest(request);
    return list(request);
  };

  return {
    get: caller('get'),
    post: caller('post'),
    put: caller('put'),
    patch: caller('patch'),
    delete: caller('delete'),
    pages: (path, ...[request]) => checked(request, (one) => pages(path, one)),
    items: (path, ...[request]) => checked(request, (one) => items(path, one)),
    changes: (given = {}) => {
      assertChangesOptions(given);
      const read = async (query: object, signal: AbortSignal | undefined) =>
        (await call('get', '/changes', { query: { ...query }, signal })).data;
      return readChanges(read, wait, given);
    },
  };
}
