import {
  type CounterKey,
  platformRequestCounterKind,
  requestCounterKind,
  userRequestCounterKind,
} from '../organizations/request-counter.ts';
import { usualPerSecond } from '../organizations/request-limit.ts';
import { ApiKeyUses } from './api-key-uses.ts';
import { Limiter } from './limiter.ts';
import { RecentMap, RecentSet } from './recent-map.ts';

/** How many callers, and how many platform keys, an environment remembers. */
const mostRemembered = 1000;

const newLimiter = (keyOf: (organizationId: string) => CounterKey): Limiter =>
  new Limiter({
    keyOf,
    usualPerSecond: () => Number(process.env.REQUESTS_PER_SECOND ?? usualPerSecond),
    tell: (request, verdict) => {
      request.verdict = verdict;
    },
  });

/** What an environment remembers of the requests that it had. */
export class Memory {
  /** Callers whom it has seen with a permission in an organization, and its id. */
  readonly callers = new RecentMap<string>(mostRemembered);
  /** The platform keys with which it has seen callers, by their secrets. */
  readonly platformKeys = new RecentSet(mostRemembered);
  /** Counts requests in an organization. */
  readonly organizations = newLimiter((organizationId) =>
    requestCounterKind.key({ organizationId }),
  );
  /** Counts what platform keys ask in an organization: one at its limit never shuts out the company's own backend. */
  readonly platform = newLimiter((organizationId) =>
    platformRequestCounterKind.key({ organizationId }),
  );
  /** Counts requests in no organization. */
  readonly users = new Limiter({
    keyOf: (userId) => userRequestCounterKind.key({ userId }),
    usualPerSecond: () => usualPerSecond,
    isEventual: true,
  });
  readonly apiKeyUses = new ApiKeyUses();
}
