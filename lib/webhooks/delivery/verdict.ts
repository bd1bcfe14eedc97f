import type { PostResult } from '../endpoint/endpoint.ts';

/** What an endpoint made of an attempt. */
export type Verdict =
  | { kind: 'delivered' }
  /** No response, or a response without success. `retryAfterMs` where the endpoint asked for it. */
  | { kind: 'failed'; retryAfterMs?: number | undefined }
  /** 410: the endpoint wants no more. */
  | { kind: 'gone' };

/** The verdict of an answer: only 2xx is a success. */
export const verdictOf = ({ status, retryAfterMs }: PostResult): Verdict => {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  return status === 410 ? { kind: 'gone' } : { kind: 'failed', retryAfterMs };
};
