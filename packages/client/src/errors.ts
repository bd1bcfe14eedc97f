import type { components } from './schema.ts';

type Body = components['schemas']['Error'];

/** What the API says of an error; `unknown` is what something between here and there answered. */
export type ErrorCode = Body['error']['code'] | 'unknown';
export type ErrorDetail = NonNullable<Body['error']['details']>[number];

/** The API refused a request. Rely on `code`; quote `requestId` to whoever runs the service. */
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

/** No answer came, in any attempt: whether the request had an effect is not known. */
export class ConnectionError extends Error {
  constructor(cause: unknown) {
    super('The API could not be reached.', { cause });
    this.name = 'ConnectionError';
  }
}
