import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { setThresholds } from '../../../lib/billing/alerts.ts';
import { emptyWallet, walletKind } from '../../../lib/billing/stored/wallet.ts';
import { changedFields } from '../../../lib/facts/setting.ts';
import type { WriteOrFact } from '../../../lib/facts/transaction.ts';
import { patchField, putField } from '../../../lib/fields/definition.ts';
import {
  createApiKeyWrites,
  revokeApiKeyWrites,
  rotateSecrets,
  updateApiKeyWrites,
} from '../../../lib/organizations/api-keys/api-key-writes.ts';
import { newStoredApiKey } from '../../../lib/organizations/api-keys/api-keys.ts';
import { putMember, removeMember } from '../../../lib/organizations/members.ts';
import { organizationKind } from '../../../lib/organizations/organization.ts';
import { limitWrites } from '../../../lib/organizations/request-counter.ts';
import { settingsWrites } from '../../../lib/organizations/settings.ts';
import { suspensionWrites } from '../../../lib/organizations/suspension.ts';
import { newPipeline, pipelineInput, putPipeline } from '../../../lib/pipelines/pipeline.ts';
import { ordinal, outbox } from '../../../lib/table/keys.ts';
import type { Item, WriteAction } from '../../../lib/table/table.ts';
import { newProgress } from '../../../lib/webhooks/delivery/delivery-rules.ts';
import { progressAttributes, toProgress } from '../../../lib/webhooks/delivery/progress-item.ts';
import { newSecret } from '../../../lib/webhooks/endpoint/secrets.ts';
import type { StoredWebhook } from '../../../lib/webhooks/stored-webhook.ts';
import { newWebhook } from '../../../lib/webhooks/webhook.ts';
import {
  createWebhookWrites,
  deleteWebhookWrites,
  testWebhookWrites,
  updateWebhookWrites,
  writeCheckpoint,
} from '../../../lib/webhooks/writes.ts';
import { itemsPut, someOrigin } from '../../support/origin.ts';
import { defineField } from '../fields/field-definition.ts';

// What each writer of settings tells: the names of what changed, and nothing that is somebody's.

const now = Date.parse('2026-11-26T09:00:00.000Z');
const organizationId = randomUUID();
const personal = 'Somebody';
const url = 'https://hooks.example.com/secret-path';

const factsIn = (changed: readonly WriteOrFact<WriteAction>[]): Item[] =>
  itemsPut(changed).filter(({ pk }) =>
    Object.values(outbox).some((prefix) => String(pk).startsWith(prefix)),
  );

/** The one fact of a commit, of this time, without what all have. */
const toldBy = (
  changed: readonly WriteOrFact<WriteAction>[],
  time = new Date(now).toISOString(),
) => {
  const [fact, ...more] = factsIn(changed);
  expect(more).toEqual([]);
  const written = JSON.stringify(fact);
  for (const one of [personal, url, 'whsec', 'digest-']) expect(written).not.toContain(one);
  const { pk: _, sk, at, user_id, request_id, version, ...told } = fact!;
  expect([sk, user_id, request_id]).toEqual([
    ordinal(version as number),
    someOrigin.by,
    someOrigin.requestId,
  ]);
  expect(at).toBe(time);
  const { type, changed: names, ...rest } = JSON.parse(JSON.stringify(told));
  return [type, version, names, rest];
};

test('what is absent is told as null is: the one in place of the other is no change', () => {
  interface Thing {
    name?: string | null | undefined;
    tags?: string[] | null | undefined;
  }
  const changed = (before: Thing | undefined, after: Thing) =>
    changedFields(before, after, ['name', 'tags']);
  for (const none of [{}, { name: null }, { name: undefined, tags: null }]) {
    for (const other of [{}, { name: null, tags: null }]) expect(changed(none, other)).toEqual([]);
    expect(changed(undefined, none)).toEqual([]);
    expect(changed(none, { name: '' })).toEqual(['name']);
    expect(changed({ name: 'a', tags: [] }, none)).toEqual(['name', 'tags']);
  }
  expect(changed({ tags: ['a', 'b'] }, { tags: ['a', 'b'] })).toEqual([]);
  expect(changed({ tags: ['a', 'b'] }, { tags: ['b', 'a'] })).toEqual(['tags']);
});
const organization = organizationKind.key({ organizationId }).read({
  ...organizationKind.key({ organizationId }),
  ...{ name: personal, currency: 'USD', created_at: new Date(now).toISOString(), facts: 4 },
  ...{ pipelines: 1, members: 1, owners: 1, webhooks: 0, api_keys: 0, fingerprint: '', reply: '' },
})!;

test('a request limit is told as a change of the organization', () => {
  for (const limit of [20, undefined]) {
    expect(toldBy(limitWrites(organization, limit, now))).toEqual([
      'organization.updated',
      5,
      ['requests_per_second'],
      {},
    ]);
  }
});

test('a suspension and its end are told, and nothing where it is so already', () => {
  const suspended = { ...organization, suspended_at: new Date(now).toISOString() };
  expect(toldBy(suspensionWrites(organization, true, now))).toEqual([
    'organization.suspended',
    5,
    ['suspended_at'],
    {},
  ]);
  expect(toldBy(suspensionWrites(suspended, false, now))).toEqual([
    'organization.resumed',
    5,
    ['suspended_at'],
    {},
  ]);
  expect(suspensionWrites(suspended, true, now)).toEqual([]);
  expect(suspensionWrites(organization, false, now)).toEqual([]);
});

test('another name and currency are told, not what they are', async () => {
  const patch = { name: 'Ana Souza e filhas', currency: 'BRL' };
  const { writes } = await settingsWrites(organization, patch, now, async () => false);
  expect(toldBy(writes)).toEqual(['organization.updated', 5, ['name', 'currency'], {}]);
  const { name, currency } = organization;
  const same = await settingsWrites(organization, { name, currency }, now, async () => true);
  expect(same.writes).toEqual([]);
});

test('a member is told when added, updated and removed, and counts on when added again', () => {
  const user_id = randomUUID();
  const ana = { user_id, role: 'agent', name: personal } as const;
  const stored = { role: 'agent', name: personal, version: 1 } as const;
  const put = (...all: Parameters<typeof putMember> extends [unknown, ...infer R] ? R : never) =>
    toldBy(putMember(organizationId, ...all));
  expect(put(ana, now)).toEqual(['member.added', 1, ['role', 'name'], { member_role: 'agent' }]);
  expect(put({ ...ana, role: 'admin' }, now, stored)).toEqual([
    'member.updated',
    2,
    ['role'],
    { member_role: 'admin' },
  ]);
  expect(put({ ...ana, name: null }, now, stored)).toEqual([
    'member.updated',
    2,
    ['name'],
    { member_role: 'agent' },
  ]);
  expect(toldBy(removeMember(organizationId, user_id, now, stored))).toEqual([
    'member.removed',
    2,
    ['role', 'name'],
    {},
  ]);
  const removed = { role: undefined, name: null, version: 2 };
  expect(put(ana, now, removed)).toEqual([
    'member.added',
    3,
    ['role', 'name'],
    { member_role: 'agent' },
  ]);
});

test('an API key is told when made, changed, rotated and revoked', () => {
  const [id, userId] = [v7(), randomUUID()];
  const caller = { organizationId, userId, role: 'admin' } as const;
  const stored = newStoredApiKey(
    { name: personal, role: 'agent', expires_at: null, spender: personal },
    { organizationId, createdBy: userId, digest: 'digest-1', now },
  );
  const role = { key_role: 'agent' };
  expect(toldBy(createApiKeyWrites(caller, id, stored))).toEqual([
    'api_key.created',
    1,
    ['name', 'role', 'spender', 'secret'],
    role,
  ]);
  const change = (fields: object) =>
    toldBy(updateApiKeyWrites(caller, id, stored, { ...stored, ...fields, version: 2 }, now));
  expect(change({ name: 'Somebody else' })).toEqual(['api_key.updated', 2, ['name'], role]);
  expect(change({ key_role: 'viewer' })).toEqual([
    'api_key.updated',
    2,
    ['role'],
    { key_role: 'viewer' },
  ]);
  expect(change({ expires_at: '2027-01-01T00:00:00.000Z' })).toEqual([
    'api_key.updated',
    2,
    ['expires_at'],
    role,
  ]);
  const { after } = rotateSecrets(stored, 'digest-2', { previousMs: 1000, now });
  expect(toldBy(updateApiKeyWrites(caller, id, stored, after, now))).toEqual([
    'api_key.updated',
    2,
    ['secret'],
    role,
  ]);
  expect(toldBy(revokeApiKeyWrites(caller, id, stored, now))).toEqual([
    'api_key.revoked',
    2,
    ['revoked_at'],
    role,
  ]);
});

test('a pipeline is told when made and changed', () => {
  const stages = [{ name: personal, outcome: 'open' }];
  const made = newPipeline(v7(), pipelineInput.parse({ name: personal, stages }), now);
  const fields = ['name', 'stages', 'default_stage', 'unique_contact'];
  expect(toldBy(putPipeline(organizationId, made))).toEqual(['pipeline.created', 1, fields, {}]);
  const stored = { ...made, pk: 'p', sk: 's', version: 4 };
  const after = { ...made, stages: [...made.stages, { name: 'won', outcome: 'won' as const }] };
  expect(toldBy(putPipeline(organizationId, after, stored))).toEqual([
    'pipeline.updated',
    5,
    ['stages'],
    {},
  ]);
  expect(toldBy(putPipeline(organizationId, { ...made, name: 'B' }, stored))).toEqual([
    'pipeline.updated',
    5,
    ['name'],
    {},
  ]);
});

test('a custom field is told when made, changed and archived', () => {
  const field = defineField('select', { key: 'source', label: personal });
  const names = ['label', 'type', 'options', 'filterable', 'archived'];
  const rest = { field: 'source', archived: false };
  expect(toldBy(putField(organizationId, undefined, field), field.created_at)).toEqual([
    'field.created',
    1,
    names,
    rest,
  ]);
  const change = (patch: object) =>
    toldBy(
      putField(
        organizationId,
        { version: 6, fields: [field] },
        patchField([field], field, patch, now),
      ),
    );
  expect(change({ label: 'Other' })).toEqual(['field.updated', 7, ['label'], rest]);
  expect(change({ options: ['x'] })).toEqual(['field.updated', 7, ['options'], rest]);
  expect(change({ archived: true })).toEqual([
    'field.updated',
    7,
    ['archived'],
    { ...rest, archived: true },
  ]);
});

test('alerts are told by their own count', () => {
  const wallet = { ...emptyWallet, version: 9, alerts_version: 2 };
  expect(toldBy(setThresholds(organizationId, [5], wallet, now))).toEqual([
    'alerts.updated',
    3,
    ['thresholds'],
    {},
  ]);
  expect(walletKind.hasFacts).toBe(true);
});

const webhookId = v7();
const webhook: StoredWebhook = {
  ...newWebhook(organizationId, webhookId, {
    input: { url, description: personal },
    userId: randomUUID(),
    checkpoint: 5,
    feedId: randomUUID(),
    secret: newSecret(now),
    now,
  }),
  facts: 3,
};

test('a webhook is told when made, changed by its owner and deleted', () => {
  const made = toldBy(createWebhookWrites(organizationId, { ...webhook, facts: 1 }, now));
  const names = ['url', 'description', 'status', 'secret', 'checkpoint'];
  expect(made).toEqual(['webhook.created', 1, names, { status: 'active' }]);
  const change = (...[update]: Omit<Parameters<typeof updateWebhookWrites>[2], 'now'>[]) =>
    toldBy(updateWebhookWrites(organizationId, webhook, { ...update!, now }));
  const told = (...changed: string[]) => ['webhook.updated', 4, changed, { status: 'active' }];
  expect(change({ set: { url: `${url}/2` } })).toEqual(told('url'));
  expect(change({ set: { types: ['lead.created'] } })).toEqual(told('types'));
  expect(change({ set: { description: undefined } })).toEqual(told('description'));
  expect(change({ set: {}, progress: newProgress(1) })).toEqual(told('checkpoint'));
  const secret = { ...newSecret(now + 1), created_at: new Date(now + 1).toISOString() };
  expect(change({ set: { secrets: [secret] } })).toEqual(told('secret'));
  const disabled = { ...toProgress(webhook), status: 'disabled' as const };
  expect(change({ set: {}, progress: disabled })).toEqual([
    'webhook.updated',
    4,
    ['status'],
    { status: 'disabled' },
  ]);
  const deleted = toldBy(deleteWebhookWrites(organizationId, webhookId, webhook, now));
  expect(deleted).toEqual(['webhook.deleted', 4, [], {}]);
});

test('what a worker finds of a webhook is told where its status is another, and no delivery or test is', () => {
  const found = (status: 'active' | 'paused' | 'disabled', before: typeof status) => {
    const item = { ...webhook, ...progressAttributes({ ...newProgress(5), status: before }) };
    const progress = { ...newProgress(8), status };
    const session = { progress, sentTests: [], until: undefined, now };
    return writeCheckpoint(organizationId, item, 'token', session);
  };
  for (const [before, status, type] of [
    ['active', 'paused', 'webhook.paused'],
    ['paused', 'active', 'webhook.resumed'],
    ['active', 'disabled', 'webhook.disabled'],
  ] as const) {
    const { after, writes } = found(status, before);
    const [told, version, , rest] = toldBy(writes);
    expect([told, version, rest, after.facts]).toEqual([type, 4, { status }, 4]);
    expect(after.version).toBe(webhook.version);
  }
  const same = found('active', 'active');
  expect([factsIn(same.writes), same.after.facts]).toEqual([[], 3]);
  expect(factsIn(testWebhookWrites(organizationId, webhook, 'test', now))).toEqual([]);
});
