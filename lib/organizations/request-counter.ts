import type { TableClient } from '../table/client.ts';
import { requestCounterKey } from '../table/keys.ts';
import type { Counter } from './request-limit.ts';

/** Milliseconds after which a request goes on without its count: the limit is no reason to fail. */
export const counterTimeoutMs = 500;

const never: Counter = { clearAt: 0 };

/** What is counted of an organization's requests: nothing, where that can't be read. */
export const readCounter = async (table: TableClient, organizationId: string): Promise<Counter> => {
  try {
    const item = await waitAtMost(table.get(requestCounterKey(organizationId)), counterTimeoutMs);
    const { clear_at = 0, per_second } = (item ?? {}) as { clear_at?: number; per_second?: number };
    return { clearAt: clear_at, perSecond: per_second };
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
  seen: Counter,
): Promise<void> => {
  const now = Date.now();
  const Key = requestCounterKey(organizationId);
  const add = () =>
    table.update(
      {
        Key,
        UpdateExpression: 'SET clear_at = clear_at + :more',
        ConditionExpression: 'clear_at > :now',
        ExpressionAttributeValues: { ':more': milliseconds, ':now': now },
      },
      counterTimeoutMs,
    );
  const begin = () =>
    table.update(
      {
        Key,
        UpdateExpression: 'SET clear_at = :until',
        ConditionExpression: 'attribute_not_exists(clear_at) OR clear_at <= :now',
        ExpressionAttributeValues: { ':until': now + milliseconds, ':now': now },
      },
      counterTimeoutMs,
    );
  // What was cleared can have been started by another one meanwhile, but never the reverse.
  const attempts = seen.clearAt > now ? [add, begin, add] : [begin, add];
  for (const attempt of attempts) if (await attempt()) return;
  throw new Error('another one changed the counter each time');
};

/** Gives an organization a limit of its own, in requests a second; without one, takes it away. */
export const setPerSecond = async (
  table: TableClient,
  organizationId: string,
  perSecond: number | undefined,
): Promise<void> => {
  await table.update({
    Key: requestCounterKey(organizationId),
    ...(perSecond === undefined
      ? { UpdateExpression: 'REMOVE per_second' }
      : {
          UpdateExpression: 'SET per_second = :n',
          ExpressionAttributeValues: { ':n': perSecond },
        }),
  });
};

/** An organization's own limit in requests a second; undefined where it has none. */
export const readPerSecond = async (
  table: TableClient,
  organizationId: string,
): Promise<number | undefined> =>
  (await table.get(requestCounterKey(organizationId)))?.per_second as number | undefined;
