import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { CallerRole } from '../../lib/operations/permissions.ts';
import { type ApiKey, toApiKey } from '../../lib/organizations/api-keys/api-keys.ts';
import {
  platformKeyKind,
  platformKeySettingsKind,
  platformKeyUseKind,
  type StoredPlatformKey,
} from '../../lib/organizations/api-keys/stored-api-key.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { present } from '../../lib/table/condition.ts';
import { readPartition } from '../../lib/table/pages.ts';
import { ConflictError } from '../../lib/table/retry.ts';
import { put, remove, update } from '../../lib/table/write.ts';
import { newApiKey, parseApiKey } from '../../lib/tokens/api-key.ts';

/** The parts of a platform key that can be told. */
export type PlatformKey = Omit<ApiKey, 'role'> & { role: CallerRole };

export interface NewPlatformKey {
  /** The id of a key that is replaced. */
  id?: string;
  name: string;
  role: CallerRole;
  /** Milliseconds since the epoch. */
  expiresAt?: number | undefined;
  /** An earlier key of this id, to be good again; without it, a new key is made. */
  key?: string | undefined;
}

// docs/decisions/api-keys.md
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
  return { ...toApiKey({ id, stored, lastUsedOn: null }), key: text };
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
    .map((stored) => toApiKey({ id: stored.sk, stored, lastUsedOn: used.get(stored.sk) ?? null }))
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
