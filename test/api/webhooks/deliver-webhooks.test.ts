import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Webhook } from 'standardwebhooks';
import { expect, inject, test } from 'vitest';
import { dueKey, type Key, webhookKey } from '../../../lib/table/keys.ts';
import type { TestMessage } from '../../../packages/client/src/index.ts';
import { eventually } from '../../support/eventually.ts';
import { invoke, type Organization, provision } from '../../support/organization.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Received } from '../../support/receiver-process.ts';
import { table } from '../../support/table.ts';

interface Hook {
  organization: Organization;
  receiver: Receiver;
  id: string;
  secret: string;
}

/** An organization with a webhook that leads to a receiver of its own. */
const hooked = async (fields: object = {}): Promise<Hook> => {
  const [organization, receiver] = await Promise.all([provision(), Receiver.start()]);
  const { body } = await organization.post('/webhooks', { url: receiver.url, ...fields });
  return { organization, receiver, id: body.id, secret: body.secret };
};

/** The webhook, once it is so. */
const webhookWhere = ({ organization, id }: Hook, fields: Record<string, unknown>) =>
  eventually(
    async () => (await organization.get(`/webhooks/${id}`)).body,
    (webhook) => Object.entries(fields).every(([name, value]) => webhook[name] === value),
  );
const deliveriesOf = ({ organization, id }: Hook, count: number) =>
  eventually(
    () => organization.readAll(`/webhooks/${id}/deliveries`, 3),
    ({ length }) => length === count,
  );
const feedOf = async ({ organization }: Hook) =>
  (await organization.get('/changes?limit=200')).body.items;
const verified = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers);
const arrived = ({ receiver }: Hook, count: number) =>
  eventually(
    () => receiver.bodies,
    ({ length }) => length >= count,
  );
const bySequence = (all: { sequence: number }[]) => all.toSorted((a, b) => a.sequence - b.sequence);

test('everything arrives as it is in the feed, signed, and of each lead in order', async () => {
  const hook = await hooked();
  const { organization, receiver, secret } = hook;
  await receiver.answers('slow');
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { id } = await organization.lead();
      for (const stage of ['contacted', 'won']) await organization.patch(`/leads/${id}`, { stage });
      await organization.delete(`/leads/${id}`);
    }),
  );
  await arrived(hook, 16);
  const feed = await feedOf(hook);
  expect(feed).toHaveLength(16);
  expect(bySequence(receiver.bodies)).toEqual(feed);
  for (const changes of Map.groupBy(receiver.bodies, ({ lead_id }) => lead_id).values()) {
    expect(changes.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  }
  for (const one of receiver.received) {
    expect(verified(one, secret)).toEqual(JSON.parse(one.body));
    expect(one.headers['webhook-id']).toBe(JSON.parse(one.body).event_id);
    expect(one.headers['content-type']).toBe('application/json');
  }
  // Several at once, as there are several leads.
  expect(Math.max(...receiver.received.map(({ atOnce }) => atOnce))).toBeGreaterThan(1);
  await webhookWhere(hook, { checkpoint: 16 });
  const deliveries = await deliveriesOf(hook, 16);
  const idsOf = (all: { event_id: string }[]) => all.map(({ event_id }) => event_id).sort();
  expect(idsOf(deliveries)).toEqual(idsOf(feed));
  const delivered = { outcome: 'delivered', status: 200, error: null, attempt: 1 };
  expect(deliveries[0]).toMatchObject(delivered);
});

test('only what it asked for arrives, and as often as its endpoint does not take it', async () => {
  const hook = await hooked({ types: ['lead.deleted'] });
  const { organization, receiver } = hook;
  await receiver.answers(429, { 'retry-after': '3600' });
  const { id } = await organization.lead();
  await organization.delete(`/leads/${id}`);
  const held = await webhookWhere(hook, { waiting: 1 });
  expect(held).toMatchObject({ status: 'active', failures: 1, given_up: 0, checkpoint: 2 });
  const inAnHour = Date.now() + 3_600_000;
  expect(Math.abs(Date.parse(held.next_attempt_at) - inAnHour)).toBeLessThan(30_000);
  // Its owner says when to go on.
  await receiver.answers(410);
  for (const status of ['disabled', 'active']) {
    await organization.patch(`/webhooks/${hook.id}`, { status });
  }
  await arrived(hook, 2);
  await webhookWhere(hook, { status: 'disabled' });
  await receiver.answers(200);
  await organization.patch(`/webhooks/${hook.id}`, { status: 'active' });
  await webhookWhere(hook, { status: 'active', waiting: 0, failures: 0, next_attempt_at: null });
  const types = receiver.bodies.map(({ type }) => type);
  expect(types).toEqual(['lead.deleted', 'lead.deleted', 'lead.deleted']);
});

test('a test is posted whatever the status, and is in the deliveries', async () => {
  const hook = await hooked();
  await hook.organization.patch(`/webhooks/${hook.id}`, { status: 'disabled' });
  const { body } = await hook.organization.post(`/webhooks/${hook.id}/test`, undefined);
  await arrived(hook, 1);
  const message: TestMessage = {
    event_id: body.delivery_id,
    type: 'webhook.test',
    at: expect.any(String),
    organization_id: hook.organization.id,
    webhook_id: hook.id,
  };
  expect(verified(hook.receiver.received[0]!, hook.secret)).toEqual(message);
  const delivery = { id: body.delivery_id, type: 'webhook.test', sequence: null, status: 200 };
  expect(await deliveriesOf(hook, 1)).toMatchObject([delivery]);
});

test('a wake that was lost altogether is made up for by the schedule', async () => {
  const hook = await hooked();
  await hook.organization.lead();
  await arrived(hook, 1);
  await webhookWhere(hook, { checkpoint: 1 });
  // As if nobody had ever heard of the lead; and it is time to look again.
  const reset = (Key: Key, name: string) =>
    table.send(
      new UpdateCommand({
        TableName: inject('service').tableName,
        Key,
        UpdateExpression: 'SET #name = :zero',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':zero': 0 },
      }),
    );
  await reset(webhookKey(hook.organization.id, hook.id), 'checkpoint');
  await reset(dueKey(hook.organization.id, hook.id), 'due_at');
  await invoke('wakeDueWebhooks', {});
  await arrived(hook, 2);
  expect(hook.receiver.bodies.map(({ sequence }) => sequence)).toEqual([1, 1]);
});

test('a replay posts the same messages once more, signed anew by both secrets', async () => {
  const hook = await hooked();
  for (let i = 0; i < 3; i++) await hook.organization.lead();
  await arrived(hook, 3);
  await webhookWhere(hook, { checkpoint: 3 });
  const { body: rotated } = await hook.organization.post(`/webhooks/${hook.id}/secret`, undefined);
  const replay = await hook.organization.post(`/webhooks/${hook.id}/replay`, { after: 1 });
  expect(replay.body.checkpoint).toBe(1);
  await arrived(hook, 5);
  const again = hook.receiver.received.slice(3);
  const bodies = again.map(({ body }) => JSON.parse(body));
  expect(bySequence(bodies)).toEqual((await feedOf(hook)).slice(1));
  for (const one of again) {
    expect(one.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(verified(one, hook.secret)).toEqual(verified(one, rotated.secret));
  }
});
