import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { CallerRole } from '../../lib/operations/permissions.ts';
import { type ApiKey, toApiKey } from '../../lib/organizations/api-keys.ts';
import { type StoredApiKey, toStoredApiKey } from '../../lib/organizations/stored-api-key.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { type Key, platformKeyKey, platformKeyUseKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/table.ts';
import { newApiKey, parseApiKey } from '../../lib/tokens/api-key.ts';

/** What can be told of a platform key. */
export type PlatformKey = Omit<ApiKey, 'role'> & { role: CallerRole };

export interface NewPlatformKey {
  /** The id of a key that is replaced. */
  id?: string;
  name: string;
  role: CallerRole;
  /** Milliseconds since the epoch. */
  expiresAt?: number | undefined;
  /** An earlier key of this id, to be good again; a new one is made unless told. */
  key?: string | undefined;
}

// docs/decisions/platform-keys.md
/** Makes a platform key. `key` is for its user only: the table keeps a digest. */
export const createPlatformKey = async (
  table: TableClient,
  { id = randomUUID(), name, role, expiresAt, key }: NewPlatformKey,
): Promise<PlatformKey & { key: string }> => {
  const { text, digest } = (key && keyOf(id, key)) || newApiKey('platform', id);
  const created_at = new Date().toISOString();
  const stored: StoredApiKey = {
    name,
    key_role: role,
    secrets: [{ digest, created_at }],
    created_by: userInfo().username,
    created_at,
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
    version: 1,
  };
  await table.transact([{ Put: { Item: { ...platformKeyKey(id), ...stored } } }]);
  return { ...toPlatformKey(id, stored, undefined), key: text };
};

/** The key in a text; undefined for what is no platform key of this id. */
const keyOf = (id: string, text: string) => {
  const parsed = parseApiKey(text);
  return parsed?.kind === 'platform' && parsed.id === id
    ? { text, digest: parsed.digest }
    : undefined;
};

/** All platform keys, those that are no longer good, too; the oldest first. */
export const readPlatformKeys = async (table: TableClient): Promise<PlatformKey[]> => {
  const [keys, uses] = await Promise.all([
    readPartition(table, platformKeyKey('')),
    readPartition(table, platformKeyUseKey('')),
  ]);
  const used = new Map(uses.map(({ sk, last_used_on }) => [sk, String(last_used_on)]));
  return keys
    .map((item) =>
      toPlatformKey(idOf(String(item.sk)), toStoredApiKey(item), used.get(String(item.sk))),
    )
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

/** Ends a key at once, and for ever. False if there is no such key. */
export const revokePlatformKey = (table: TableClient, id: string): Promise<boolean> =>
  table.update({
    Key: platformKeyKey(id),
    UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :now)',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':now': new Date().toISOString() },
  });

/** Ends a key at once, and leaves nothing of it. */
export const deletePlatformKey = (table: TableClient, id: string): Promise<void> =>
  table.transact([
    { Delete: { Key: platformKeyKey(id) } },
    { Delete: { Key: platformKeyUseKey(id) } },
  ]);

const toPlatformKey = (
  id: string,
  stored: StoredApiKey,
  lastUsedOn: string | undefined,
): PlatformKey => ({
  ...toApiKey({ id, stored, lastUsedOn: lastUsedOn ?? null }),
  role: stored.key_role,
});

const idOf = (sk: string): string => sk.slice(platformKeyKey('').sk.length);

const readPartition = async (table: TableClient, { pk }: Key): Promise<Item[]> => {
  const all: Item[] = [];
  let startAfter: Item | undefined;
  do {
    const { items, last } = await table.query({
      condition: 'pk = :pk',
      values: { ':pk': pk },
      limit: 1000,
      consistent: true,
      startAfter,
    });
    all.push(...items);
    startAfter = last;
  } while (startAfter);
  return all;
};
