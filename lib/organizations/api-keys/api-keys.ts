import * as z from 'zod/mini';
import { invalid } from '../../errors/errors.ts';
import { apiKeyRoles, type CallerRole } from '../../operations/permissions.ts';
import { uuidPattern } from '../../schema/cursor.ts';
import { shortName, text, utcDateTime, uuid } from '../../schema/fields.ts';
import { inputShape, nullable, outputShape, patchShape, required } from '../../schema/resource.ts';
import { readPage, readPartition } from '../../table/pages.ts';
import type { Table } from '../../table/table.ts';
import {
  type ApiKeySettings,
  apiKeyKind,
  apiKeySettingsKind,
  apiKeyUseKind,
  type StoredApiKey,
} from './stored-api-key.ts';

const settings = {
  name: required(text(200), { description: 'What uses it: so that a history can be read.' }),
  role: required(z.enum(apiKeyRoles)),
  expires_at: nullable(utcDateTime(), {
    output: z.iso.datetime(),
    description: 'It is good until then. `null`: until it is revoked.',
  }),
};

/** Properties that a key gets when it is made, and keeps for ever. */
const lasting = {
  spender: nullable(shortName(), {
    description:
      'Whose stars it spends, and nobody else’s, for ever: filled in where it spends or holds.',
  }),
};

/** The body of `POST /keys`. */
export const apiKeyInput = z
  .strictObject(inputShape({ ...settings, ...lasting }))
  .check(z.meta({ id: 'ApiKeyInput' }));
type ApiKeyInput = z.output<typeof apiKeyInput>;

/** The body of `PATCH /keys/{key_id}`. */
export const apiKeyPatch = z
  .strictObject(patchShape(settings))
  .check(z.meta({ id: 'ApiKeyPatch', description: 'A JSON merge patch (RFC 7396).' }));
type ApiKeyPatch = z.output<typeof apiKeyPatch>;

const replyFields = {
  id: z.uuid().check(z.describe('The `user_id` of what the key does, as in a history.')),
  ...outputShape({ ...settings, ...lasting }),
  created_by: z.guid().check(z.describe('Who made it. It stays when they leave the organization.')),
  created_at: z.iso.datetime(),
  revoked_at: z.nullable(z.iso.datetime()),
  last_used_on: z
    .nullable(z.iso.date())
    .check(z.describe('The day of its last use, in UTC. `null` if there was none.')),
};

/** An API key as the API replies it. */
export const apiKey = z.strictObject(replyFields).check(z.meta({ id: 'ApiKey' }));
export type ApiKey = z.output<typeof apiKey>;

const key = z
  .nullable(z.string())
  .check(
    z.describe('For `Authorization: Bearer …`. Shown here only, and once: `null` in a repeat.'),
  );

/** The reply to making a key, which alone has it. */
export const newApiKeyReply = z
  .strictObject({ ...replyFields, key })
  .check(z.meta({ id: 'NewApiKey' }));

/** The reply to a rotation, which alone has the new secret. */
export const rotatedApiKeyReply = z
  .strictObject({
    ...replyFields,
    key,
    previous_expires_at: z
      .nullable(z.iso.datetime())
      .check(z.describe('The secret before is good until then. `null`: it is refused at once.')),
  })
  .check(z.meta({ id: 'RotatedApiKey' }));

/** The path of one API key. */
export const apiKeyPath = z.strictObject({ key_id: uuid() });

/** An API key of an organization, and when it was used last. */
export interface UsedApiKey<Stored = StoredApiKey> {
  id: string;
  stored: Stored;
  lastUsedOn: string | null;
}

interface Making {
  organizationId: string;
  createdBy: string;
  digest: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A key that is made. Throws `invalid_request` for an expiry that is not to come. */
export const newStoredApiKey = (
  { name, role, expires_at, spender }: ApiKeyInput,
  { organizationId, createdBy, digest, now }: Making,
): StoredApiKey => {
  assertToCome(expires_at, now);
  const created_at = new Date(now).toISOString();
  return {
    organization_id: organizationId,
    name,
    key_role: role,
    secrets: [{ digest, created_at }],
    created_by: createdBy,
    created_at,
    expires_at: expires_at ?? undefined,
    spender: spender ?? undefined,
    version: 1,
  };
};

/** A key after a patch. Throws `invalid_request` for an expiry that is not to come. */
export const patchStoredApiKey = (
  stored: StoredApiKey,
  {
    name = stored.name,
    role = stored.key_role,
    expires_at = stored.expires_at ?? null,
  }: ApiKeyPatch,
  now: number,
): StoredApiKey => {
  if (expires_at !== stored.expires_at) assertToCome(expires_at, now);
  return {
    ...stored,
    name,
    key_role: role,
    expires_at: expires_at ?? undefined,
    version: stored.version + 1,
  };
};

const assertToCome = (expiresAt: string | null, now: number): void => {
  if (expiresAt !== null && Date.parse(expiresAt) <= now) {
    throw invalid('expires_at', 'must be in the future');
  }
};

/** A key as it is told; `R` are the roles that it may have. */
export const toApiKey = <R extends CallerRole>({
  id,
  stored,
  lastUsedOn,
}: UsedApiKey<Omit<ApiKeySettings, 'key_role'> & { key_role: R }>): Omit<ApiKey, 'role'> & {
  role: R;
} => ({
  id,
  name: stored.name,
  role: stored.key_role,
  expires_at: stored.expires_at ?? null,
  spender: stored.spender ?? null,
  created_by: stored.created_by,
  created_at: stored.created_at,
  revoked_at: stored.revoked_at ?? null,
  last_used_on: lastUsedOn,
});

/** The key on which a change is decided. Undefined for a key that this organization does not have. */
export const readApiKey = async (
  table: Table<'GetItem'>,
  organizationId: string,
  keyId: string,
): Promise<UsedApiKey | undefined> => {
  const [stored, use] = await table.getAll([
    apiKeyKind.key({ keyId }),
    apiKeyUseKind.key({ organizationId, keyId }),
  ]);
  if (stored?.organization_id !== organizationId) return undefined;
  return { id: keyId, stored, lastUsedOn: use?.last_used_on ?? null };
};

/** The keys that someone made and that are not revoked: their ids, oldest first. */
export const readApiKeyIdsMadeBy = async (
  table: Table<'Query'>,
  organizationId: string,
  userId: string,
): Promise<string[]> => {
  const pk = apiKeySettingsKind.partition({ organizationId });
  const made = await readPartition(table, apiKeySettingsKind, pk, {
    filter: 'created_by = :user AND attribute_not_exists(revoked_at)',
    values: { ':user': userId },
  });
  return made.map((item) => apiKeySettingsKind.idsOf(item).keyId);
};

/**
 * A page of an organization's keys, newest first. Only keys have uses: so those after a cursor are of the keys after it, and
 * both are read at once. With `created_by`, a page has those of its keys that this user made. Throws `invalid_cursor`.
 */
export const readApiKeys = async (
  table: Table<'Query'>,
  organizationId: string,
  query: {
    created_by?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  },
): Promise<{ items: ApiKey[]; next_cursor: string | null }> => {
  const list = {
    identity: [organizationId, 'listApiKeys'],
    pattern: uuidPattern,
    newestFirst: true,
  } as const;
  const [page, uses] = await Promise.all([
    readPage(
      table,
      {
        ...list,
        kind: apiKeySettingsKind,
        pk: apiKeySettingsKind.partition({ organizationId }),
        toItem: (stored) => ({ id: apiKeySettingsKind.idsOf(stored).keyId, stored }),
      },
      query,
    ),
    readPage(
      table,
      {
        ...list,
        kind: apiKeyUseKind,
        pk: apiKeyUseKind.partition({ organizationId }),
        toItem: (use) => [apiKeyUseKind.idsOf(use).keyId, use.last_used_on] as const,
      },
      query,
    ),
  ]);
  const lastUses = new Map(uses.items);
  return {
    items: page.items
      .filter(
        ({ stored }) => query.created_by === undefined || stored.created_by === query.created_by,
      )
      .map((one) => toApiKey({ ...one, lastUsedOn: lastUses.get(one.id) ?? null })),
    next_cursor: page.next_cursor,
  };
};
