import { randomUUID } from 'node:crypto';
import {
  type ApiKeySettings,
  apiKeyKind,
  apiKeySettingsKind,
  platformKeyKind,
  platformKeySettingsKind,
  type StoredApiKey,
  type StoredPlatformKey,
} from '../../lib/organizations/api-keys/stored-api-key.ts';
import { memberKind } from '../../lib/organizations/members.ts';
import { organizationKind } from '../../lib/organizations/organization.ts';
import type { AttributesOf } from '../../lib/table/kind.ts';
import type { Write } from '../../lib/table/table.ts';
import { put, withoutFact } from '../../lib/table/write.ts';

// Whole items that no request has made, each with what a test says of it.

const at = '2026-11-26T09:00:00.000Z';

export const putOrganizationItem = (
  organizationId: string,
  some: Partial<AttributesOf<typeof organizationKind>> = {},
): Write<'PutItem'> =>
  withoutFact(
    put(organizationKind.key({ organizationId }), {
      pipelines: 1,
      members: 1,
      owners: 1,
      webhooks: 0,
      api_keys: 0,
      facts: 1,
      name: 'Test',
      currency: 'USD',
      created_at: at,
      fingerprint: 'none',
      reply: '{}',
      ...some,
    }),
  );

export const putMemberItem = (
  organizationId: string,
  userId: string,
  some: Partial<AttributesOf<typeof memberKind>> = {},
): Write<'PutItem'> =>
  withoutFact(
    put(memberKind.key({ organizationId, userId }), { role: 'agent', version: 1, ...some }),
  );

const settings = () => ({ name: 'Form', created_by: randomUUID(), created_at: at, version: 1 });
const secrets = [{ digest: 'd', created_at: at }];

/** Both items of a key, whose secret has the digest `d`. */
export const putApiKeyItems = (
  organizationId: string,
  keyId: string,
  key_role: ApiKeySettings['key_role'],
): Write<'PutItem'>[] => {
  const stored: StoredApiKey = {
    ...settings(),
    key_role,
    organization_id: organizationId,
    secrets,
  };
  const { secrets: _, organization_id: __, ...listed } = stored;
  return [
    withoutFact(put(apiKeyKind.key({ keyId }), stored)),
    put(apiKeySettingsKind.key({ organizationId, keyId }), listed),
  ];
};

/** Both items of a platform key, whose secret has the digest `d`. */
export const putPlatformKeyItems = (
  keyId: string,
  key_role: StoredPlatformKey['key_role'],
): Write<'PutItem'>[] => {
  const listed = { ...settings(), key_role };
  return [
    put(platformKeyKind.key({ keyId }), { ...listed, secrets }),
    put(platformKeySettingsKind.key({ keyId }), listed),
  ];
};
