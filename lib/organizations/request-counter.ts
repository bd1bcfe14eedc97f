import * as z from 'zod/mini';
import type { WriteOrFact } from '../facts/transaction.ts';
import type { TableClient } from '../table/client.ts';
import { all, compare, either, lacks } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemKey, Kind } from '../table/kind.ts';
import { update } from '../table/write.ts';
import { type OrganizationItem, organizationKind, updateOrganization } from './organization.ts';
import type { RequestCount } from './request-limit.ts';

/** Milliseconds after which a request goes on without its count: the limit is no reason to fail. */
export const counterTimeoutMs = 500;

const counter = z.object({ clear_at: z.optional(z.number()) });

const counterWithLimit = z.object({ ...counter.shape, per_second: z.optional(z.int()) });

export const requestCounterKind = new Kind(places.requestCounter, {
  holds: 'the counter of an organization’s requests, its own limit, and whether it is suspended',
  attributes: z.object({ ...counterWithLimit.shape, suspended: z.optional(z.literal(true)) }),
});

export const platformRequestCounterKind = new Kind(places.platformRequestCounter, {
  holds: 'the counter of what platform keys ask in an organization',
  attributes: counterWithLimit,
});

export const userRequestCounterKind = new Kind(places.userRequestCounter, {
  holds: 'the counter of a user’s requests in no organization',
  attributes: counter,
});

/** Where requests are counted: an organization's, those of platform keys in it, or a user's. */
export type CounterKey = ItemKey<{
  clear_at?: number | undefined;
  per_second?: number | undefined;
  suspended?: true | undefined;
}>;

/** What is counted at a counter that was never written. */
export const nothingCounted: RequestCount = { clearAt: 0 };

/**
 * What is counted; undefined where that can't be read in half a second. `isEventual`: it may lag a moment, for half a unit.
 */
export const readCounter = async (
  table: TableClient,
  key: CounterKey,
  isEventual = false,
): Promise<RequestCount | undefined> => {
  const reading = isEventual
    ? table.getAllEventually([key]).then(([item]) => ({ item }))
    : table.get(key).then((item) => ({ item }));
  try {
    const read = await waitAtMost(reading, counterTimeoutMs);
    if (!read) return undefined;
    const { clear_at: clearAt = 0, per_second: perSecond, suspended } = read.item ?? {};
    return { clearAt, perSecond, suspended };
  } catch {
    return undefined;
  }
};

/** What the work gives; undefined where it takes more milliseconds than this. */
const waitAtMost = async <T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Counts requests, as the milliseconds in which the limit works them off, or takes some off again, below 0; nothing, and
 * returns false, where as many as `mostMs` are there. One write, or up to three where the counter is not as it was `seen`.
 * Throws where it can't be written.
 */
export const addToCounter = async (
  table: TableClient,
  key: CounterKey,
  milliseconds: number,
  seen: RequestCount,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const now = Date.now();
  const isCounting = compare('clear_at', '>', now);
  const isOpen =
    mostMs === Number.POSITIVE_INFINITY
      ? isCounting
      : all(isCounting, compare('clear_at', '<', now + mostMs));
  const add = () =>
    table.update(key, { add: { clear_at: milliseconds } }, isOpen, counterTimeoutMs);
  const begin = () =>
    table.update(
      key,
      { set: { clear_at: now + milliseconds } },
      either(lacks('clear_at'), compare('clear_at', '<=', now)),
      counterTimeoutMs,
    );
  if (milliseconds < 0) return add();
  // Another request may begin a clear counter meanwhile: so an addition follows.
  const attempts = seen.clearAt > now ? [add, begin, add] : [begin, add];
  for (const attempt of attempts) if (await attempt()) return true;
  if (mostMs < Number.POSITIVE_INFINITY) return false;
  throw new Error('another one changed the counter each time');
};

/** Gives an organization a limit of its own, in requests a second, and platform keys in it as much; without one, takes it away. */
export const limitWrites = (
  organization: OrganizationItem,
  perSecond: number | undefined,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  const ids = organizationKind.idsOf(organization);
  return [
    update(requestCounterKind.key(ids), { set: { per_second: perSecond } }),
    update(platformRequestCounterKind.key(ids), { set: { per_second: perSecond } }),
    ...updateOrganization(organization, {}, { changed: ['requests_per_second'], now }),
  ];
};

/** An organization's own limit in requests a second; undefined where it has none. */
export const readPerSecond = async (
  table: TableClient,
  organizationId: string,
): Promise<number | undefined> =>
  (await table.get(requestCounterKind.key({ organizationId })))?.per_second;
