/** What the API answers where it is the gateway that refuses or the function that fails. */
export const errors = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  forbidden: { status: 403, message: 'This is not for you.' },
  not_found: { status: 404, message: 'There is nothing here.' },
  payload_too_large: { status: 413, message: 'The request is too large.' },
  rate_limited: { status: 429, message: 'There are too many requests.' },
  internal: { status: 500, message: 'Something went wrong.' },
  timeout: { status: 504, message: 'It took too long.' },
} as const;
export type ErrorCode = keyof typeof errors;
