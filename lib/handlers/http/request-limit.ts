import { ApiError } from '../../operations/errors.ts';
import { count, readCounter } from '../../organizations/request-counter.ts';
import {
  judge,
  rateLimitHeaders,
  sampleEvery,
  usualPerSecond,
} from '../../organizations/request-limit.ts';
import type { Step } from './chain.ts';
import { LastSeen } from './last-seen.ts';
import type { Membership } from './membership.ts';
import type { InOrganization } from './organization.ts';
import { Sampler } from './sampler.ts';
import type { WithTable } from './table.ts';

/** How many organizations an environment remembers. */
const mostRemembered = 1000;

const usual = (): number => Number(process.env.REQUESTS_PER_SECOND ?? usualPerSecond);
/** Tests count every request, or none (`Infinity`), so that nothing in them is by chance. */
const countedOneIn = (): number => Number(process.env.COUNT_ONE_REQUEST_IN ?? sampleEvery);

export interface RequestLimit {
  /** What the answer tells of the limit: nothing before the caller is known. */
  headers: Record<string, string>;
  /** Rejects with `rate_limited` if the organization sends too much, and with `forbidden` for a stranger. */
  admitted: Promise<void>;
  /** Whether the organization had nothing left when it was last seen. */
  wasBusy: boolean;
  /** Counts the request, once it is admitted, as so many. Answers when that is written or has failed. */
  count(weight: number): Promise<void>;
}

export interface Limited {
  limit: RequestLimit;
}

/**
 * Holds an organization to its requests a second. The counter is read with the membership and what the operation
 * reads. An environment remembers organizations that had nothing left: see `admission`.
 */
export const requestLimit = (): Step<InOrganization & WithTable & Membership, Limited> => {
  const busy = new LastSeen<true>(mostRemembered);
  let sampler: Sampler | undefined;

  return {
    before: async ({ table, organizationId, role }) => {
      const reading = readCounter(table, organizationId);
      let counted: Promise<void> | undefined;

      const admit = async (): Promise<void> => {
        // What is refused to a stranger is not for the organization's limit to say.
        await role;
        const verdict = judge(await reading, Date.now(), usual());
        limit.headers = rateLimitHeaders(verdict);
        if (verdict.remaining > 0) busy.delete(organizationId);
        else busy.set(organizationId, true);
        const { admitted, retryAfter } = verdict;
        if (!admitted) throw new ApiError('rate_limited', { retryAfter });
      };
      const write = async (weight: number): Promise<void> => {
        sampler ??= new Sampler(countedOneIn());
        const samples = sampler.take(organizationId, weight);
        if (samples === 0) return;
        const seen = await reading;
        const perSecond = seen.perSecond ?? usual();
        const milliseconds = Math.round((samples * sampler.every * 1000) / perSecond);
        // A count that is lost is one of many.
        await count(table, organizationId, milliseconds, seen).catch(() => {});
      };

      const limit: RequestLimit = {
        headers: {},
        wasBusy: busy.has(organizationId),
        admitted: admit(),
        count: (weight) => {
          counted ??= write(weight);
          return counted;
        },
      };
      // Later steps await it. Until then it must not end the process.
      limit.admitted.catch(() => {});
      return { limit };
    },
    // What a member got wrong counts too. Whoever sends too much hears that first.
    onError: async ({ limit }, error) => {
      if (!limit) return error;
      try {
        await limit.admitted;
      } catch (refusal) {
        return refusal;
      }
      await limit.count(1);
      return error;
    },
  };
};

/** Where an organization had nothing left, the later steps wait until it is admitted: so what is refused costs little. */
export const admission = (): Step<Limited, object> => ({
  before: async ({ limit }) => {
    if (limit.wasBusy) await limit.admitted;
    return {};
  },
});
