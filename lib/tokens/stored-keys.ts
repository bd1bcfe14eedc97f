import { ApiError } from '../errors/errors.ts';
import type { TableClient } from '../table/client.ts';
import { timeBoundsAfter } from '../table/deadline.ts';
import { issuerKeysKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { fetchKeySet, type KeySet, keysIn } from './key-set.ts';

/** Milliseconds from one renewal of the stored keys to the next. */
export const renewalIntervalMs = 5 * 60 * 1000;

/** Seconds after which DynamoDB may delete stored keys. Nobody uses them so late. */
const ttlSeconds = 24 * 60 * 60;

/** Milliseconds for the read. Then the issuer is asked. */
const readTimeoutMs = 1000;

// docs/decisions/issuer-keys.md
/** The issuer's keys as they are stored in the table: undefined where there are none. */
export const readStoredKeys = async (
  opened: TableClient,
  uri: string,
): Promise<KeySet | undefined> => {
  const table = opened.during(timeBoundsAfter(readTimeoutMs));
  try {
    const { key_set, fetched_at } = (await table.get(issuerKeysKey(uri))) ?? {};
    const keys = keysIn(String(key_set));
    if (keys.length === 0 || typeof fetched_at !== 'number') return undefined;
    // The clock that wrote it may be ahead of this one.
    return { fetchedAt: Math.min(fetched_at, Date.now()), keys };
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
  const Put = {
    Item: {
      ...issuerKeysKey(uri),
      key_set: JSON.stringify({ keys }),
      fetched_at: fetchedAt,
      expires_at: Math.floor(fetchedAt / 1000) + ttlSeconds,
    },
    // A time that is still to come is of a clock that was ahead.
    ConditionExpression:
      'attribute_not_exists(pk) OR fetched_at <= :fetched_at OR fetched_at > :now',
    ExpressionAttributeValues: { ':fetched_at': fetchedAt, ':now': Date.now() },
  };
  const refused = () => new ConflictError();
  await table.transact([{ Put, refused }]).catch((error) => {
    if (!(error instanceof ConflictError)) throw error;
  });
};
