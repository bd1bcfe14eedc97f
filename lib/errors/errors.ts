/** Problems that one error tells at most. */
export const mostDetails = 20;

/**
 * Bytes of a path as JSON. The client may have named the field: an answer must not grow with what was
 * sent, and 2,000 details of a batch must fit into its record.
 */
export const mostPathBytes = 100;

/** A limit that a spend would exceed. */
export interface SpendLimitDetail {
  kind: 'spender' | 'feature';
  name: string;
  by_default: boolean;
  period: 'day' | 'week' | 'month' | 'total';
  left_stars: number;
  resets_at: string | null;
}

/** What the client did wrong, field by field. `lead_id` names the lead that stands in the way, or is there instead. */
export interface ErrorDetail {
  path: string;
  message: string;
  lead_id?: string | undefined;
  /** How many stars can be spent or held, where that is too few. */
  available_stars?: number | undefined;
  /** The tightest limit of a spender or feature, where more was asked for. */
  spend_limit?: SpendLimitDetail | undefined;
  /** The feed's last number, and the feed, where a number beyond it was named. */
  last_sequence?: number | undefined;
  feed_id?: string | undefined;
}

interface ErrorKind {
  status: number;
  message: string;
  /** Seconds after which a retry is worth trying, sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /**
   * An answer that depends on what is stored, and does not pass by itself: under an idempotency key it
   * is recorded, so that every repeat hears it too.
   */
  recorded?: boolean;
}

/** The one table of error codes: the functions, the gateway's own responses and the docs read it. */
export const errorKinds = {
  invalid_request: { status: 400, message: 'The request is not valid.', recorded: true },
  invalid_cursor: { status: 400, message: 'The cursor does not belong to this list.' },
  unauthenticated: { status: 401, message: 'A valid bearer token is required.' },
  insufficient_stars: {
    status: 402,
    message: 'There are not enough stars. Nothing was spent or held.',
  },
  spend_limit_reached: {
    status: 402,
    message: 'A spend limit leaves fewer stars. Nothing was spent or held.',
  },
  forbidden: { status: 403, message: 'You may not do this here.' },
  organization_suspended: {
    status: 403,
    message: 'The organization is suspended. Whoever runs the service can resume it.',
  },
  not_found: { status: 404, message: 'There is nothing at this address.', recorded: true },
  method_not_allowed: { status: 405, message: 'This address has no such method.' },
  duplicate_lead: {
    status: 409,
    message: 'Another lead already has this contact or external id.',
    recorded: true,
  },
  idempotency_key_reused: {
    status: 409,
    message: 'This Idempotency-Key was used for another request.',
  },
  organization_id_reused: {
    status: 409,
    message: 'This organization_id was used for an organization that was made differently.',
  },
  event_id_reused: {
    status: 409,
    message: 'This id was used for something else.',
  },
  write_conflict: {
    status: 409,
    message: 'Another request changed the same data at the same time. It is safe to retry.',
  },
  currency_in_use: {
    status: 409,
    message: 'The currency can’t be changed while a lead has a value.',
  },
  stage_in_use: {
    status: 409,
    message: 'A stage that still has leads can’t be removed.',
    recorded: true,
  },
  last_owner: { status: 409, message: 'An organization keeps at least one owner.', recorded: true },
  limit_reached: {
    status: 409,
    message: 'The organization has as many of these as it can have.',
    recorded: true,
  },
  api_key_revoked: {
    status: 409,
    message: 'The API key is revoked for good.',
    recorded: true,
  },
  api_key_expired: {
    status: 409,
    message: 'The API key has expired. A later expires_at makes it good again.',
    recorded: true,
  },
  already_captured: {
    status: 409,
    message: 'The hold was captured, so this can’t be done to it.',
  },
  already_released: {
    status: 409,
    message: 'The hold was released, so this can’t be done to it.',
  },
  hold_expired: {
    status: 409,
    message: 'The hold has expired: its stars have come back.',
  },
  too_late: {
    status: 409,
    message: 'It is later than not_after. Nothing was spent or held.',
  },
  precondition_failed: {
    status: 412,
    message: 'The resource has changed since it was read.',
    recorded: true,
  },
  payload_too_large: { status: 413, message: 'The request is too large.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  rate_limited: { status: 429, message: 'Too many requests.', retryAfterSeconds: 1 },
  internal: { status: 500, message: 'Something went wrong on our side.' },
  unavailable: {
    status: 503,
    message: 'The service is briefly unavailable. A repeat may succeed.',
    retryAfterSeconds: 1,
  },
  timeout: { status: 504, message: 'The request took too long.' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

export const errorCodes = Object.keys(errorKinds) as ErrorCode[];

interface ApiErrorOptions {
  details?: readonly ErrorDetail[] | undefined;
  cause?: unknown;
  replayed?: boolean;
  /** Seconds, in place of the code's own. */
  retryAfterSeconds?: number;
}

/** An error that the client is told about. Anything else that is thrown becomes `internal`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Whether this is what an earlier request with the same idempotency key was told. */
  readonly replayed: boolean;
  /** Seconds after which a retry is worth trying. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    { details, cause, replayed = false, retryAfterSeconds }: ApiErrorOptions = {},
  ) {
    super(errorKinds[code].message, { cause });
    this.name = code;
    this.code = code;
    this.details = details?.slice(0, mostDetails);
    this.replayed = replayed;
    this.retryAfterSeconds = retryAfterSeconds ?? this.kind.retryAfterSeconds;
  }

  get kind(): ErrorKind {
    return errorKinds[this.code];
  }
}

/** The error that stands for whatever was thrown: a mistake of ours is `internal`, with what was thrown as its cause. */
export const toApiError = (thrown: unknown): ApiError => {
  if (thrown instanceof ApiError) return thrown;
  const isTimeout = thrown instanceof Error && thrown.name === 'TimeoutError';
  return new ApiError(isTimeout ? 'timeout' : 'internal', { cause: thrown });
};

/** The error with its paths inside of this field. */
export const prefixPaths = (field: string, error: unknown): unknown =>
  error instanceof ApiError && error.details
    ? new ApiError(error.code, {
        cause: error.cause,
        replayed: error.replayed,
        details: error.details.map((one) => ({ ...one, path: `${field}.${one.path}` })),
      })
    : error;

/** `invalid_request` that names the one field or parameter at fault. */
export const invalid = (path: string, message: string): ApiError =>
  new ApiError('invalid_request', { details: [{ path, message }] });

/** `unauthenticated`, with what is wrong with the `Authorization` header. */
export const unauthenticated = (message: string, cause?: unknown): ApiError =>
  new ApiError('unauthenticated', { cause, details: [{ path: 'Authorization', message }] });

/** `forbidden` that names what stands in the way. */
export const forbidden = (path: string, message: string): ApiError =>
  new ApiError('forbidden', { details: [{ path, message }] });
