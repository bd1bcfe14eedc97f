import { isDeepStrictEqual } from 'node:util';
import { takeOverApiKey } from '../../../lib/organizations/api-keys/api-key-writes.ts';
import {
  apiKeyKind,
  apiKeySettingsKind,
  platformKeyKind,
  platformKeySettingsKind,
} from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { readPartition } from '../../../lib/table/pages.ts';
import { put } from '../../../lib/table/write.ts';
import { deletePlatformKey } from '../platform-keys.ts';
import { commitTaken, type Tables, type Taken } from './tables.ts';

/** A platform key that was revoked is revoked again, and a deleted key goes. */
export const takeOverPlatformKeys = async (
  { old, restored }: Tables,
  taken: Taken,
): Promise<void> => {
  const pk = platformKeySettingsKind.partition({});
  for (const { sk: keyId } of await readPartition(restored, platformKeySettingsKind, pk)) {
    const key = platformKeyKind.key({ keyId });
    const [before, after] = [await restored.get(key), await old.get(key)];
    if (before === undefined || isDeepStrictEqual(before, after)) continue;
    taken.platform_keys++;
    if (!after) {
      await deletePlatformKey(restored, keyId);
      continue;
    }
    const { pk: _, sk: __, ...stored } = after;
    const { secrets: ___, ...settings } = stored;
    await restored.transact([
      put(key, stored),
      put(platformKeySettingsKind.key({ keyId }), settings),
    ]);
  }
};

/** An API key is as it is in the old table: revoked, rotated, of another role. Those made since do not come. */
export const takeOverApiKeys = async (
  { old, restored }: Tables,
  organizationId: string,
  taken: Taken,
): Promise<void> => {
  const pk = apiKeySettingsKind.partition({ organizationId });
  for (const { sk: keyId } of await readPartition(restored, apiKeySettingsKind, pk)) {
    const key = apiKeyKind.key({ keyId });
    const [before, after] = [await restored.get(key), await old.get(key)];
    if (!before || !after) continue;
    const { pk: _, sk: __, ...stored } = after;
    // Many changes there are one here: the numbers of versions have no gap.
    if (isDeepStrictEqual({ ...after, version: before.version }, before)) continue;
    await commitTaken(restored)(takeOverApiKey(organizationId, keyId, before, stored, Date.now()));
    taken.api_keys++;
  }
};
