import { assertNames, assertUuid, assertWhole, shown } from './checks.ts';
import { longestTimerMs, type RetryOptions } from './retry.ts';

/** A text, or a function that gets the text that is valid now. An error that it throws ends the call. */
export type Credential = string | (() => string | Promise<string>);

interface Common {
  /** With http or https, without a query; ends in `/v1`. */
  baseUrl: string;
  retry?: RetryOptions | undefined;
  /** Takes the place of the global `fetch`. It is asked not to follow redirects. */
  fetch?: typeof fetch | undefined;
}

interface WithApiKey extends Common {
  /** An API key, for a program. */
  apiKey: Credential;
  token?: undefined;
}

interface WithToken extends Common {
  /** An OIDC id_token of a user. A function is asked before each attempt, so that a token that ended is renewed. */
  token: Credential;
  apiKey?: undefined;
}

export type ClientOptions = WithApiKey | WithToken;

/** The organization that every call acts in is a UUID. An API key acts in its own, unless it is a platform key. */
export type OrganizationClientOptions =
  | (WithApiKey & { organizationId?: string | undefined })
  | (WithToken & { organizationId: string });

/** Options that are right. */
interface Checked {
  baseUrl: string;
  organizationId: string | undefined;
  /** Rejects where what its function gives is no token. */
  token: () => Promise<string>;
  retry: RetryOptions;
  fetch: typeof fetch;
}

const isName: Record<keyof ClientOptions | 'organizationId', true> = {
  baseUrl: true,
  organizationId: true,
  token: true,
  apiKey: true,
  retry: true,
  fetch: true,
};
const names = Object.keys(isName);

/** Throws a `TypeError` or `RangeError` that names an option, what was given, and what is allowed. */
export const checkOptions = (
  options: ClientOptions & { organizationId?: string | undefined },
): Checked => {
  assertNames('options', options, names);
  const { baseUrl, organizationId, retry = {}, fetch: send } = options;
  if (organizationId !== undefined) assertUuid('organizationId', organizationId);
  if (send !== undefined && typeof send !== 'function') {
    throw new TypeError(`fetch must be a function, not ${shown(send)}`);
  }
  assertRetry(retry);
  return {
    baseUrl: checkBaseUrl(baseUrl),
    organizationId,
    token: tokenOf(options),
    retry: { ...retry },
    fetch: send ?? fetch,
  };
};

const retryLimits: Record<keyof RetryOptions, [least: number, most: number]> = {
  attempts: [1, 100],
  attemptTimeoutMs: [1, longestTimerMs],
  firstDelayMs: [1, longestTimerMs],
  mostDelayMs: [1, longestTimerMs],
  waitForServiceMs: [0, longestTimerMs],
};

const assertRetry = (retry: RetryOptions): void => {
  assertNames('retry', retry, Object.keys(retryLimits));
  for (const [name, given] of Object.entries(retry)) {
    const [least, most] = retryLimits[name as keyof RetryOptions];
    if (given !== undefined) assertWhole(`retry.${name}`, given, least, most);
  }
};

/** Why a text can't be the API's base URL; undefined where it can. */
export const baseUrlProblem = (given: unknown): string | undefined => {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    return 'must be a whole URL with http or https, such as https://….com/v1';
  }
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  return /[?#]/.test(String(given)) ? 'must have no query and no hash' : undefined;
};

const checkBaseUrl = (given: string): string => {
  const problem = baseUrlProblem(given);
  if (problem === undefined) return new URL(given).href.replace(/\/+$/, '');
  // The rest of the text may be a secret.
  const text = typeof given === 'string' ? given.replace(/\/\/.*@|[?#].*/gs, '…') : given;
  throw new TypeError(`baseUrl ${problem}, not ${shown(text)}`);
};

const tokenOf = ({ token, apiKey }: ClientOptions): Checked['token'] => {
  if ((token === undefined) === (apiKey === undefined)) {
    throw new TypeError('options must have a token or an apiKey, and only one of them');
  }
  const [name, given] = token === undefined ? ['apiKey', apiKey] : ['token', token];
  if (typeof given === 'function') return async () => checkCredential(`${name}()`, await given());
  const credential = checkCredential(name, given);
  return async () => credential;
};

/** A header takes no more; and its errors would show the token. */
const checkCredential = (name: string, given: unknown): string => {
  if (typeof given !== 'string') {
    throw new TypeError(
      `${name} must be a text, or a function that gives one, not ${shown(given)}`,
    );
  }
  if (/^[!-~]+$/.test(given)) return given;
  const what = given === '' ? 'an empty text' : 'a text with white space or other signs in it';
  throw new TypeError(`${name} must be one API key or id_token, not ${what}`);
};
