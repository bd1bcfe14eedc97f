import { randomUUID } from 'node:crypto';
import { handler as createApiKey } from '../../functions/keys/create-api-key.ts';
import { handler as revokeApiKey } from '../../functions/keys/revoke-api-key.ts';
import type { ApiKeyRole } from '../../lib/operations/permissions.ts';
import { createPlatformKey, revokePlatformKey } from '../../tools/admin/platform-keys.ts';
import { localTable } from '../../tools/demo/platform-key.ts';
import { type Organization, run, surroundings } from './support.ts';

/** A credential, and what takes it away: by clients that have looked for the engine already. */
export type Revocable = [credential: string, revoke: () => Promise<unknown>];

/** Makes credentials of programs, by their kinds. */
export const revocableKeys: Record<
  string,
  (organization: Organization, role: ApiKeyRole) => Promise<Revocable>
> = {
  async 'an API key'(organization, role) {
    const headers = organization.headers({ 'Content-Type': 'application/json' });
    const body = JSON.stringify({ name: 'Robot', role });
    const { id, key } = (await run(createApiKey, { headers, body })).body;
    const revoke = (keyId: string) => run(revokeApiKey, { headers, path: { key_id: keyId } });
    await revoke(randomUUID());
    return [key, () => revoke(id)];
  },
  async 'a platform key'(_organization, role) {
    const table = localTable(surroundings.tableEndpoint, surroundings.tableName);
    const { id, key } = await createPlatformKey(table, { name: 'Robot', role });
    return [key, () => revokePlatformKey(table, id)];
  },
};
