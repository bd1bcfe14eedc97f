import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import type { TableClient } from '../table/client.ts';
import { absent, compare, either } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import { ConflictError, timeBoundsAfter } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { put } from '../table/write.ts';
import { fetchKeySet, type KeySet, keysIn } from './key-set.ts';

/** Milliseconds from one renewal of the stored keys to the next. */
export const renewalIntervalMs = 5 * 60 * 1000;

/** Seconds after which DynamoDB may delete stored keys. Nobody uses them so late. */
const ttlSeconds = 24 * 60 * 60;

/** Milliseconds for the read. Then the issuer is asked. */
const readTimeoutMs = 1000;

export const issuerKeysKind = new Kind(places.issuerKeys, {
  holds: 'the issuer’s keys',
  attributes: z.object({
    key_set: z.string(),
    /** Milliseconds since the epoch. */
    fetched_at: z.number(),
    expires_at: z.int(),
  }),
});

// docs/decisions/api-keys.md
/** The issuer's keys as they are stored in the table: undefined where there are none. */
export const readStoredKeys = async (
  opened: TableClient,
  uri: string,
): Promise<KeySet | undefined> => {
  const table = opened.during(timeBoundsAfter(readTimeoutMs));
  try {
    const item = await table.get(issuerKeysKind.key({ uri }));
    const keys = keysIn(item?.key_set ?? '');
    if (!item || keys.length === 0) return undefined;
    // The clock that wrote the time may be ahead of this clock.
    return { fetchedAt: Math.min(item.fetched_at, Date.now()), keys };
  } finally {
    table.end();
  }
};

/**
 * Asks the issuer for its keys and keeps them in the table, unless there are some for which it was asked later. Throws
 * `unavailable` where the issuer gives none.
 */
export const renewStoredKeys = async (table: Table<'PutItem'>, uri: string): Promise<void> => {
  const { fetchedAt, keys } = await fetchKeySet(uri).catch((cause) => {
    throw new ApiError('unavailable', { cause });
  });
  // A time that is still to come is of a clock that was ahead.
  const isStale = either(
    compare('fetched_at', '<=', fetchedAt),
    compare('fetched_at', '>', Date.now()),
  );
  const kept = put(
    issuerKeysKind.key({ uri }),
    {
      key_set: JSON.stringify({ keys }),
      fetched_at: fetchedAt,
      expires_at: Math.floor(fetchedAt / 1000) + ttlSeconds,
    },
    { condition: either(absent, isStale), refused: () => new ConflictError() },
  );
  await table.transact([kept]).catch((error) => {
    if (!(error instanceof ConflictError)) throw error;
  });
};
