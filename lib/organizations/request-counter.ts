import * as z from 'zod/mini';
import type { WriteOrFact } from '../facts/transaction.ts';
import type { TableClient } from '../table/client.ts';
import { compare, either, lacks } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import { update } from '../table/write.ts';
import { tellOfOrganization } from './organization.ts';
import type { RequestCount } from './request-limit.ts';

/** Milliseconds after which a request goes on without its count: the limit is no reason to fail. */
export const counterTimeoutMs = 500;

export const requestCounterKind = new Kind(places.requestCounter, {
  holds: 'the counter of an organization’s requests, and its own limit',
  attributes: z.object({ clear_at: z.optional(z.number()), per_second: z.optional(z.int()) }),
});

const never: RequestCount = { clearAt: 0 };

/** What is counted of an organization's requests: nothing, where that can't be read. */
export const readCounter = async (
  table: TableClient,
  organizationId: string,
): Promise<RequestCount> => {
  try {
    const item = await waitAtMost(
      table.get(requestCounterKind.key({ organizationId })),
      counterTimeoutMs,
    );
    return { clearAt: item?.clear_at ?? 0, perSecond: item?.per_second };
  } catch {
    return never;
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
 * Counts requests, as the milliseconds in which the limit works them off. One write, or up to three where the counter is
 * not as it was `seen`. Throws where it can't be written.
 */
export const addToCounter = async (
  table: TableClient,
  organizationId: string,
  milliseconds: number,
  seen: RequestCount,
): Promise<void> => {
  const now = Date.now();
  const key = requestCounterKind.key({ organizationId });
  const add = () =>
    table.update(
      key,
      { add: { clear_at: milliseconds } },
      compare('clear_at', '>', now),
      counterTimeoutMs,
    );
  const begin = () =>
    table.update(
      key,
      { set: { clear_at: now + milliseconds } },
      either(lacks('clear_at'), compare('clear_at', '<=', now)),
      counterTimeoutMs,
    );
  // What was cleared can have been started by another one meanwhile, but never the reverse.
  const attempts = seen.clearAt > now ? [add, begin, add] : [begin, add];
  for (const attempt of attempts) if (await attempt()) return;
  throw new Error('another one changed the counter each time');
};

/** Gives an organization a limit of its own, in requests a second; without one, takes it away. */
export const limitWrites = (
  organizationId: string,
  organization: { facts: number },
  perSecond: number | undefined,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => [
  update(requestCounterKind.key({ organizationId }), { set: { per_second: perSecond } }),
  ...tellOfOrganization(organizationId, organization, { changed: ['requests_per_second'], now }),
];

/** An organization's own limit in requests a second; undefined where it has none. */
export const readPerSecond = async (
  table: TableClient,
  organizationId: string,
): Promise<number | undefined> =>
  (await table.get(requestCounterKind.key({ organizationId })))?.per_second;
