import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { CallerRole } from '../../lib/operations/permissions.ts';
import {
  platformKeyKind,
  platformKeySettingsKind,
  platformKeyUseKind,
  type StoredPlatformKey,
} from '../../lib/organizations/api-keys/stored-api-key.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { present } from '../../lib/table/condition.ts';
import { ConflictError } from '../../lib/table/retry.ts';
import type { Item, ReadAs } from '../../lib/table/table.ts';
import { put, remove, update } from '../../lib/table/write.ts';
import { newApiKey, parseApiKey } from '../../lib/tokens/api-key.ts';

/** What can be told of a platform key. */
export interface PlatformKey {
  id: string;
  name: string;
  role: CallerRole;
  expires_at: string | null;
  created_by: string;
  created_at: string;
  revoked_at: string | null;
  last_used_on: string | null;
}

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
  const stored: StoredPlatformKey = {
    name,
    key_role: role,
    secrets: [{ digest, created_at }],
    created_by: userInfo().username,
    created_at,
    expires_at: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    version: 1,
  };
  const { secrets: _, ...settings } = stored;
  await table.transact([
    put(platformKeyKind.key({ keyId: id }), stored),
    put(platformKeySettingsKind.key({ keyId: id }), settings),
  ]);
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
    readPartition(table, platformKeySettingsKind, platformKeySettingsKind.partition({})),
    readPartition(table, platformKeyUseKind, platformKeyUseKind.partition({})),
  ]);
  const used = new Map(uses.map((use) => [platformKeyUseKind.idsOf(use).keyId, use.last_used_on]));
  return keys
    .map((item) => toPlatformKey(item.sk, item, used.get(item.sk)))
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
};

/** Ends a key at once, and for ever. False if there is no such key. */
export const revokePlatformKey = async (table: TableClient, keyId: string): Promise<boolean> => {
  const key = await table.get(platformKeyKind.key({ keyId }));
  if (!key) return false;
  if (key.revoked_at !== undefined) return true;
  const change = { set: { revoked_at: new Date().toISOString() } };
  const terms = { condition: present, refused: () => new ConflictError() };
  await table.transact([
    update(platformKeyKind.key({ keyId }), change, terms),
    update(platformKeySettingsKind.key({ keyId }), change, terms),
  ]);
  return true;
};

/** Ends a key at once, and leaves nothing of it. */
export const deletePlatformKey = (table: TableClient, keyId: string): Promise<void> =>
  table.transact([
    remove(platformKeyKind.key({ keyId })),
    remove(platformKeySettingsKind.key({ keyId })),
    remove(platformKeyUseKind.key({ keyId })),
  ]);

const toPlatformKey = (
  id: string,
  {
    name,
    key_role,
    expires_at,
    created_by,
    created_at,
    revoked_at,
  }: Omit<StoredPlatformKey, 'secrets'>,
  lastUsedOn: string | undefined,
): PlatformKey => ({
  id,
  name,
  role: key_role,
  expires_at: expires_at ?? null,
  created_by,
  created_at,
  revoked_at: revoked_at ?? null,
  last_used_on: lastUsedOn ?? null,
});

const readPartition = async <T>(
  table: TableClient,
  kind: Required<ReadAs<T>>['kind'],
  pk: string,
): Promise<T[]> => {
  const all: T[] = [];
  let startAfter: Item | undefined;
  do {
    const { items, last } = await table.query({
      kind,
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
