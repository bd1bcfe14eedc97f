import { ConnectionError, type Redirect, RedirectError } from './errors.ts';
import { redirectOf } from './redirect.ts';

/** Whole numbers: of attempts up to 100, of milliseconds up to 2^31 − 1, which is as long as a timer can be. */
export interface RetryOptions {
  /** How often a request is sent at most, the first time included. From 1 on; 5 unless told. */
  attempts?: number | undefined;
  /** The longest time of an attempt. From 1 on; 15,000 unless told: the API answers within 11 seconds. */
  attemptTimeoutMs?: number | undefined;
  /** The longest wait before the second attempt, doubled with each further attempt. From 1 on; 200 unless told. */
  firstDelayMs?: number | undefined;
  /** The longest wait; a longer `Retry-After` ends the attempts. From 1 on; 20,000 unless told. */
  mostDelayMs?: number | undefined;
  /**
   * How long to wait for a service that is away, as during a restart: it can't be reached, or answers
   * 502, 503 or 504. Until then `attempts` is no limit for that. From 0 on; 0 unless told.
   */
  waitForServiceMs?: number | undefined;
}

/** The longest time that a timer takes, in milliseconds. With a longer time, a timer ends at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** The service keeps the answers under a key for 24 hours. Less some minutes. */
export const keyLifetimeMs = 24 * 3600_000 - 10 * 60_000;

const awayStatuses = new Set([502, 503, 504]);
const briefFailures = new Set([429, 500, ...awayStatuses]);

/**
 * A fetch that sends a request again when that may help, each time with the token of that moment. Each
 * request can be repeated safely: it reads, is idempotent, or has an Idempotency-Key.
 */
export const retrying =
  (send: typeof fetch, token: () => Promise<string>, options: RetryOptions) =>
  async (request: Request): Promise<Response> => {
    const { attemptTimeoutMs = 15_000, waitForServiceMs = 0 } = options;
    const waitUntil = Date.now() + waitForServiceMs;
    let firstSentAt: number | undefined;
    let last: Response | ConnectionError | undefined;
    let isOpen = false;
    for (let attempt = 1; ; attempt++) {
      request.signal.throwIfAborted();
      const authorization = `Bearer ${await orAborted(token(), request.signal)}`;
      firstSentAt ??= Date.now();
      if (last && hasKey(request) && Date.now() - firstSentAt > keyLifetimeMs) return ended(last);
      const outcome = await sendAttempt(send, request, authorization, attemptTimeoutMs);
      request.signal.throwIfAborted();
      if ('isFollowed' in outcome) throw new RedirectError(request, outcome, isOpen);
      if (outcome instanceof Response && !(await isBrief(outcome))) return outcome;
      isOpen ||= !(outcome instanceof Response) || outcome.status >= 500;
      const delay = delayAfter(attempt, outcome, waitUntil - Date.now(), options);
      if (delay === undefined) return ended(outcome);
      last = outcome;
      await wait(delay, request.signal);
    }
  };

/** One attempt: the answer with all of its body, so that a lost rest is a lost answer. Redirects are not followed. */
const sendAttempt = async (
  send: typeof fetch,
  request: Request,
  authorization: string,
  timeoutMs: number,
): Promise<Response | ConnectionError | Redirect> => {
  const late = AbortSignal.timeout(timeoutMs);
  // Node.js 22 forgets a timeout that nobody listens to as soon as it frees memory.
  late.addEventListener('abort', () => {});
  const signal = AbortSignal.any([request.signal, late]);
  const attempt = new Request(request.clone(), { signal });
  attempt.headers.set('Authorization', authorization);
  try {
    const response = await send(attempt);
    const redirect = redirectOf(attempt, response);
    if (redirect) {
      // An unread body keeps its connection open. Nobody needs to know whether it was closed.
      Promise.resolve(response.body?.cancel?.()).catch(() => {});
      return redirect;
    }
    const body = response.status === 204 ? null : await response.arrayBuffer();
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  } catch (error) {
    return new ConnectionError(error);
  }
};

/** The result of the work. Rejects with the signal's reason as soon as the signal is aborted. */
const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

const ended = (outcome: Response | ConnectionError): Response => {
  if (outcome instanceof Response) return outcome;
  throw outcome;
};

const hasKey = ({ headers }: Request): boolean => headers.has('idempotency-key');

const isBrief = async (response: Response): Promise<boolean> => {
  if (briefFailures.has(response.status)) return true;
  if (response.status !== 409) return false;
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: { code?: string } } | undefined;
  return body?.error?.code === 'write_conflict';
};

/** Milliseconds to wait after this attempt; undefined where it was the last. */
const delayAfter = (
  attempt: number,
  outcome: Response | ConnectionError,
  leftToWaitMs: number,
  { attempts = 5, firstDelayMs = 200, mostDelayMs = 20_000 }: RetryOptions,
): number | undefined => {
  const jitter = Math.random() * Math.min(mostDelayMs, firstDelayMs * 2 ** (attempt - 1));
  const serverDelayMs = outcome instanceof Response ? readRetryAfterMs(outcome) : 0;
  if (attempt < attempts && serverDelayMs <= mostDelayMs) {
    return Math.min(serverDelayMs + jitter, longestTimerMs);
  }
  // The last attempt is made at the end of the wait.
  if (isAway(outcome) && leftToWaitMs > 0 && serverDelayMs <= leftToWaitMs) {
    return Math.min(serverDelayMs + jitter, leftToWaitMs);
  }
  return undefined;
};

const isAway = (outcome: Response | ConnectionError): boolean =>
  !(outcome instanceof Response) || awayStatuses.has(outcome.status);

/** The milliseconds of a `Retry-After`, which has seconds or a date (RFC 9110, 10.2.3). */
const readRetryAfterMs = ({ headers }: Response): number => {
  const value = headers.get('retry-after') ?? '0';
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.max(0, milliseconds || 0);
};

export const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
