import type { Units } from '../table/units.ts';

/**
 * A limit that an organization can have, in requests a second. Below the least, a count by sample says too little. Each
 * request reads the organization's counter, and DynamoDB reads an item 3,000 times a second at most.
 */
export const leastPerSecond = 10;
export const mostPerSecond = 2500;
/** Unless the deployment or an administrator says otherwise. */
export const usualPerSecond = 50;

/** Seconds' worth of requests that may come at once. */
export const burstSeconds = 2;

/** The number of requests of which a single request is counted, as all of them. */
export const sampleEvery = 20;

/**
 * As how many requests one of this weight is counted, by chance: on average as its weight. The heavier, the likelier; so
 * no batch is counted as many times what it is.
 */
export const sample = (weight: number, every: number, random = Math.random): number => {
  if (weight >= every) return weight;
  return random() < weight / every ? every : 0;
};

/**
 * Requests by which the count may be above the burst before anything is refused. A count by sample errs: of 100 requests
 * it says 100, give or take 44. So it errs for the organization.
 */
export const tolerance = 5 * sampleEvery;

/**
 * Units of the table that count as one request. What an organization may take at once is a small part of what a table gives
 * in a second, of either kind.
 */
const writtenUnitsOfRequest = 35;
const readUnitsOfRequest = 70;

/** As how many requests these capacity units count. */
export const weightOf = ({ read, written }: Units): number =>
  read / readUnitsOfRequest + written / writtenUnitsOfRequest;

/** What is stored of an organization's requests. */
export interface RequestCount {
  /** When all that was counted is worked off, at the limit's rate: milliseconds since the epoch. */
  clearAt: number;
  /** The organization's own limit in requests a second, if it has one. */
  perSecond?: number | undefined;
  /** The organization is suspended: it is stored with the counter, as every request reads that. */
  suspended?: true | undefined;
}

export interface LimitVerdict {
  admitted: boolean;
  perSecond: number;
  /** Requests that may come at once. */
  burst: number;
  /** Requests that are left of the burst. 0 does not mean refused: see `tolerance`. */
  remaining: number;
  /** Seconds until the whole burst is there again. */
  fullInSeconds: number;
  /** Seconds until a refused request may be sent again, 1 at least. */
  retryAfterSeconds: number;
}

/** The count from which on requests are refused. */
const mostRequests = (perSecond: number): number => perSecond * burstSeconds + tolerance;

/** The milliseconds in which a limit works requests off. */
export const millisecondsOf = (requests: number, perSecond: number): number =>
  Math.round((requests * 1000) / perSecond);

/** The milliseconds of work from which on requests are refused. */
export const longestMs = (perSecond: number): number =>
  millisecondsOf(mostRequests(perSecond), perSecond);

// docs/decisions/request-limit.md
/**
 * Whether an organization may send one more request: a token bucket (GCRA, ITU-T I.371) on a count by sample.
 * `perSecond` is the limit of organizations that have none of their own.
 */
export const judge = (counter: RequestCount, now: number, perSecond: number): LimitVerdict => {
  const rate = counter.perSecond ?? perSecond;
  const burst = rate * burstSeconds;
  const seconds = Math.max(0, counter.clearAt - now) / 1000;
  const level = seconds * rate;
  const most = mostRequests(rate);
  return {
    admitted: level < most,
    perSecond: rate,
    burst,
    remaining: Math.max(0, Math.floor(burst - level)),
    fullInSeconds: Math.ceil(seconds),
    retryAfterSeconds: Math.max(1, Math.ceil((level - most) / rate)),
  };
};

/** The fields of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
export const rateLimitHeaders = ({ burst, remaining, fullInSeconds }: LimitVerdict) => ({
  'RateLimit-Policy': `"organization";q=${burst};w=${burstSeconds}`,
  RateLimit: `"organization";r=${remaining};t=${fullInSeconds}`,
});
