import type { components } from './schema.ts';

type Body = components['schemas']['Error'];

/** The API's code of an error; `unknown` if something between the client and the API answered. */
export type ErrorCode = Body['error']['code'] | 'unknown';
export type ErrorDetail = NonNullable<Body['error']['details']>[number];

/**
 * The API refused a request; with a status of 500 or more, whether it had an effect is not known. Rely on `code`; quote
 * `requestId` to whoever runs the service.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];

  constructor(response: Response, body: unknown) {
    const error = (body as Partial<Body> | undefined)?.error;
    super(error?.message ?? `The answer was ${response.status}, and none of the API’s.`);
    this.name = 'ApiError';
    this.code = error?.code ?? 'unknown';
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.details = error?.details ?? [];
  }
}

/** A spend limit as an error tells it: how many stars it leaves, and when it begins anew. */
export type ReachedLimit = NonNullable<ErrorDetail['spend_limit']>;

/** A spend limit leaves fewer stars than were asked for: nothing was spent or held. */
export class SpendLimitError extends ApiError {
  /** The limit that leaves the fewest stars, of those that would be exceeded. */
  readonly limit: ReachedLimit;

  constructor(response: Response, body: unknown, limit: ReachedLimit) {
    super(response, body);
    this.name = 'SpendLimitError';
    this.limit = limit;
  }
}

/** What the API refused a request with. */
export const toRefusal = (response: Response, body: unknown): ApiError => {
  const error = new ApiError(response, body);
  const limit = error.details.find(({ spend_limit }) => spend_limit)?.spend_limit;
  return limit ? new SpendLimitError(response, body, limit) : error;
};

/** A redirect, where it points to, and whether the caller's own `fetch` followed it. */
export interface Redirect {
  response: Response;
  /** Where the redirect leads; undefined where that is not told, as in a browser. */
  location: string | undefined;
  isFollowed: boolean;
}

/** Something between the client and the API answered with a redirect. The client did not follow it, nor send again. */
export class RedirectError extends ApiError {
  /** The address that was asked. */
  readonly url: string;
  /** The address that the redirect points to; undefined where that is not told, as in a browser. */
  readonly location: string | undefined;

  /** `isOpen`: whether an earlier attempt may have been carried out. */
  constructor(request: Request, { response, location, isFollowed }: Redirect, isOpen: boolean) {
    const asked = `${request.method} ${request.url}`;
    const outcome = isFollowed
      ? 'Its fetch followed, so that nobody knows what was carried out there.'
      : isOpen
        ? 'This attempt was not carried out; one before it may have been.'
        : 'Nothing was carried out.';
    const message = `${asked} was redirected to ${location ?? 'another address'}. The API never redirects: see whether the base URL is right. ${outcome}`;
    super(response, { error: { code: 'unknown', message } });
    this.name = 'RedirectError';
    this.url = request.url;
    this.location = location;
  }
}

/** No answer came, in any attempt: whether the request had an effect is not known. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('The API could not be reached.', { cause });
    this.name = 'ConnectionError';
  }
}
