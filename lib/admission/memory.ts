import { requestCounterKind, userRequestCounterKind } from '../organizations/request-counter.ts';
import { usualPerSecond } from '../organizations/request-limit.ts';
import { ApiKeyUses } from './api-key-uses.ts';
import { Limiter } from './limiter.ts';
import { RecentMap, RecentSet } from './recent-map.ts';

/** How many callers, and how many platform keys, an environment remembers. */
const mostRemembered = 1000;

/** What an environment remembers of the requests that it had. */
export class Memory {
  /** Callers whom it has seen with a permission in an organization, and its id. */
  readonly callers = new RecentMap<string>(mostRemembered);
  /** The platform keys with which it has seen callers, by their secrets. */
  readonly platformKeys = new RecentSet(mostRemembered);
  /** Counts requests in an organization. */
  readonly organizations = new Limiter({
    keyOf: (organizationId) => requestCounterKind.key({ organizationId }),
    usualPerSecond: () => Number(process.env.REQUESTS_PER_SECOND ?? usualPerSecond),
    tell: (request, verdict) => {
      request.verdict = verdict;
    },
  });
  /** Counts requests in no organization. */
  readonly users = new Limiter({
    keyOf: (userId) => userRequestCounterKind.key({ userId }),
    usualPerSecond: () => usualPerSecond,
    isEventual: true,
  });
  readonly apiKeyUses = new ApiKeyUses();
}
