import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { CallerRole } from '../../../lib/operations/permissions.ts';
import {
  assertNotExpired,
  assertNotRevoked,
  changeLatestApiKey,
  createApiKeyWrites,
  revokeApiKeyWrites,
  rotateSecrets,
  updateApiKeyWrites,
} from '../../../lib/organizations/api-keys/api-key-writes.ts';
import {
  newStoredApiKey,
  readApiKey,
  readApiKeys,
  toApiKey,
} from '../../../lib/organizations/api-keys/api-keys.ts';
import {
  apiKeyKind,
  apiKeySettingsKind,
  apiKeyUseKind,
  type StoredApiKey,
} from '../../../lib/organizations/api-keys/stored-api-key.ts';
import { organizationKind } from '../../../lib/organizations/organization.ts';
import { openTable } from '../../../lib/table/client.ts';
import { put } from '../../../lib/table/write.ts';
import { putMemberItem, putOrganizationItem } from '../../support/items.ts';
import { commitIn } from '../../support/origin.ts';
import '../support.ts';

const table = openTable();
const commit = commitIn(table);
const now = Date.parse('2026-11-26T09:00:00.000Z');

/** An organization with so many keys, and an admin who makes them. */
const setting = async (api_keys = 0, role: CallerRole = 'admin') => {
  const [organizationId, userId] = [randomUUID(), randomUUID()];
  await table.transact([
    putOrganizationItem(organizationId, { api_keys }),
    putMemberItem(organizationId, userId, { role: 'admin' }),
  ]);
  const actor = { organizationId, userId, role };
  const make = async (id = v7()) => {
    const input = { name: 'Form', role: 'agent', expires_at: null, spender: null } as const;
    const stored = newStoredApiKey(input, {
      organizationId,
      createdBy: userId,
      digest: 'd',
      now,
    });
    await commit(createApiKeyWrites(actor, id, stored));
    return { id, stored };
  };
  const count = async () => (await table.get(organizationKind.key({ organizationId })))?.api_keys;
  const read = (id: string) => readApiKey(table, organizationId, id);
  return { organizationId, actor, make, count, read };
};

/** What is stored beside the key. */
const attributesOf = (item: object) => ({ ...item, pk: undefined, sk: undefined });

const use = (organizationId: string, id: string, last_used_on: string) =>
  table.transact([put(apiKeyUseKind.key({ organizationId, keyId: id }), { last_used_on })]);

test('a key is made once, counted, and counts no more once it is revoked', async () => {
  const { actor, make, count, read } = await setting();
  const { id, stored } = await make();
  await expect(make(id)).rejects.toThrow();
  const found = await read(id);
  expect([await count(), found && attributesOf(found.stored)]).toEqual([1, stored]);
  await commit(revokeApiKeyWrites(actor, id, stored, now));
  expect((await read(id))?.stored).toMatchObject({
    secrets: [],
    revoked_at: new Date(now).toISOString(),
    version: 2,
  });
  expect(await count()).toBe(0);
});

test('whoever lost the role for it makes, changes and revokes no key', async () => {
  const { actor, make, read } = await setting();
  const { id, stored } = await make();
  const lost = { ...actor, role: 'owner' as const };
  const after = { ...stored, name: 'Other', version: 2 };
  for (const writes of [
    createApiKeyWrites(lost, v7(), stored),
    updateApiKeyWrites(lost, id, stored, after, now),
    revokeApiKeyWrites(lost, id, stored, now),
  ]) {
    await expect(commit(writes)).rejects.toMatchObject({ code: 'forbidden' });
  }
  await commit(updateApiKeyWrites(actor, id, stored, after, now));
  expect((await read(id))?.stored.name).toBe('Other');
});

test('a change of a key that another one changed meanwhile is made of what is there now', async () => {
  const { organizationId, actor, make, read } = await setting();
  const { id, stored } = await make();
  const found = await read(id);
  await commit(
    updateApiKeyWrites(actor, id, stored, { ...stored, name: 'First', version: 2 }, now),
  );
  const call = (key_id: string, ifMatch?: number[]) =>
    ({ organizationId, path: { key_id }, ifMatch }) as never;
  const seen: StoredApiKey[] = [];
  const bounded = table.during({ deadline: Date.now() + 9500 });
  const rename = ({ stored: latest }: { stored: StoredApiKey }) => {
    seen.push(latest);
    const after = { ...latest, name: `${latest.name} and second`, version: latest.version + 1 };
    return commitIn(bounded)(updateApiKeyWrites(actor, id, latest, after, now));
  };
  await changeLatestApiKey(call(id), found, bounded, rename);
  expect(seen.map(({ version }) => version)).toEqual([1, 2]);
  expect((await read(id))?.stored).toMatchObject({ name: 'First and second', version: 3 });
  for (const [one, item, code] of [
    [call(v7()), undefined, 'not_found'],
    [call(id, [2]), await read(id), 'precondition_failed'],
  ] as const) {
    const changed = changeLatestApiKey(one, item, bounded, rename);
    await expect(changed).rejects.toMatchObject({ code });
  }
  expect((await read(id))?.stored.version).toBe(3);
});

test('what is listed of a key is changed with it, and has no secret', async () => {
  const { organizationId, actor, make } = await setting();
  const { id, stored } = await make();
  const both = () =>
    table.getAll([
      apiKeyKind.key({ keyId: id }),
      apiKeySettingsKind.key({ organizationId, keyId: id }),
    ]);
  const listedOf = ({ secrets: _, organization_id: __, ...settings }: StoredApiKey) => settings;
  const renamed = { ...stored, name: 'Other', version: 2 };
  const { after: rotated } = rotateSecrets(renamed, 'e', { previousMs: 1000, now });
  const { after: refused } = rotateSecrets(stored, 'f', { previousMs: 0, now });
  for (const [writes, after] of [
    [[], stored],
    [updateApiKeyWrites(actor, id, stored, renamed, now), renamed],
    [updateApiKeyWrites(actor, id, renamed, rotated, now), rotated],
  ] as const) {
    if (writes.length > 0) await commit(writes);
    const [key, listed] = await both();
    expect([key && attributesOf(key), listed && attributesOf(listed)]).toEqual([
      after,
      listedOf(after),
    ]);
  }
  // Neither of them, where another one has changed the key.
  await expect(commit(updateApiKeyWrites(actor, id, stored, refused, now))).rejects.toMatchObject({
    code: 'write_conflict',
  });
  expect((await both()).map((item) => item?.version)).toEqual([3, 3]);
  await commit(revokeApiKeyWrites(actor, id, rotated, now));
  const [key, listed] = await both();
  expect([key?.secrets, key?.revoked_at, listed?.revoked_at]).toEqual([
    [],
    ...Array(2).fill(new Date(now).toISOString()),
  ]);
});

test('a key is that of its own organization alone', async () => {
  const [here, there] = [await setting(), await setting()];
  const { id } = await here.make();
  expect(await there.read(id)).toBeUndefined();
  expect((await here.read(id))?.id).toBe(id);
});

test('what can’t be changed any more says why', () => {
  const used = (fields: Partial<StoredApiKey>) => ({
    id: 'k',
    stored: { expires_at: undefined, ...fields } as StoredApiKey,
    lastUsedOn: null,
  });
  const at = new Date(now).toISOString();
  expect(() => assertNotExpired(used({ expires_at: at }), now - 1)).not.toThrow();
  expect(() => assertNotExpired(used({ expires_at: at }), now)).toThrow(
    expect.objectContaining({ code: 'api_key_expired' }),
  );
  expect(() => assertNotRevoked(used({}))).not.toThrow();
  expect(() => assertNotRevoked(used({ revoked_at: at }))).toThrow(
    expect.objectContaining({ code: 'api_key_revoked' }),
  );
});

test('keys are listed newest first, each with the day of its own last use', async () => {
  const { organizationId, actor, make, read } = await setting();
  const [first, second, third] = [await make(), await make(), await make()];
  await use(organizationId, first.id, '2026-11-20');
  await use(organizationId, third.id, '2026-11-22');
  const told = (id: string, last_used_on: string | null) => ({
    id,
    name: 'Form',
    role: 'agent',
    expires_at: null,
    spender: null,
    created_by: actor.userId,
    created_at: new Date(now).toISOString(),
    revoked_at: null,
    last_used_on,
  });
  const page = await readApiKeys(table, organizationId, { limit: 2 });
  expect(page.items).toEqual([told(third.id, '2026-11-22'), told(second.id, null)]);
  const { next_cursor: cursor } = page;
  const rest = await readApiKeys(table, organizationId, { limit: 2, cursor: cursor! });
  expect(rest).toEqual({ items: [told(first.id, '2026-11-20')], next_cursor: null });
  const other = await setting();
  await expect(readApiKeys(table, other.organizationId, { cursor: cursor! })).rejects.toMatchObject(
    { code: 'invalid_cursor' },
  );
  expect(toApiKey((await read(first.id))!)).toEqual(told(first.id, '2026-11-20'));
  expect(await read(v7())).toBeUndefined();
});

test('a key tells when it expires and when it was revoked', () => {
  const [expires_at, revoked_at] = ['2026-12-01T00:00:00.000Z', '2026-11-30T00:00:00.000Z'];
  const stored = { key_role: 'agent', expires_at, revoked_at } as StoredApiKey;
  expect(toApiKey({ id: 'k', stored, lastUsedOn: null })).toMatchObject({ expires_at, revoked_at });
});
