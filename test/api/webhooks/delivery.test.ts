import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Webhook } from 'standardwebhooks';
import { describe, expect, inject, test } from 'vitest';
import { dueKey, type Key, webhookKey } from '../../../lib/table/keys.ts';
import type { TestMessage } from '../../../packages/client/src/index.ts';
import { eventually } from '../../support/eventually.ts';
import { invoke, type Organization, provision } from '../../support/organization.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Received } from '../../support/receiver-process.ts';
import { table } from '../../support/table.ts';

const service = inject('service');

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

const webhookOf = async ({ organization, id }: Hook) =>
  (await organization.get(`/webhooks/${id}`)).body;
const deliveriesOf = ({ organization, id }: Hook) =>
  organization.readAll(`/webhooks/${id}/deliveries`, 3);
const feedOf = async ({ organization }: Hook) =>
  (await organization.get('/changes?limit=200')).body.items;
const verified = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers);
const arrived = (hook: Hook, count: number) =>
  eventually(
    () => hook.receiver.bodies,
    (all) => all.length >= count,
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
  await eventually(
    () => webhookOf(hook),
    ({ checkpoint }) => checkpoint === 16,
  );
  const deliveries = await eventually(
    () => deliveriesOf(hook),
    (all) => all.length === 16,
  );
  expect(deliveries.map(({ event_id }) => event_id).sort()).toEqual(
    feed.map(({ event_id }: { event_id: string }) => event_id).sort(),
  );
  expect(deliveries[0]).toMatchObject({
    outcome: 'delivered',
    status: 200,
    error: null,
    attempt: 1,
  });
});

test('only what it asked for, from where it asked to begin', async () => {
  const { organization, ...rest } = await hooked({ types: ['lead.deleted'] });
  const { id } = await organization.lead();
  await organization.delete(`/leads/${id}`);
  const hook = { organization, ...rest };
  await arrived(hook, 1);
  await eventually(
    () => webhookOf(hook),
    ({ checkpoint }) => checkpoint === 2,
  );
  expect(hook.receiver.bodies.map(({ type }) => type)).toEqual(['lead.deleted']);
  const all = await Receiver.start();
  await organization.post('/webhooks', { url: all.url, after: 0 });
  await eventually(
    () => all.bodies,
    (bodies) => bodies.length === 2,
  );
  expect(bySequence(all.bodies)).toEqual(await feedOf(hook));
});

describe('an endpoint', () => {
  test('that is down is paused, and gets everything when it is back', {
    tags: ['long'],
  }, async () => {
    const hook = await hooked();
    await hook.receiver.down();
    const leads = await Promise.all(Array.from({ length: 25 }, () => hook.organization.lead()));
    const paused = await eventually(
      () => webhookOf(hook),
      ({ status }) => status === 'paused',
    );
    expect(paused).toMatchObject({ failures: 10, waiting: 10, given_up: 0 });
    expect(paused.next_attempt_at).not.toBeNull();
    const [last] = await deliveriesOf(hook);
    expect(last).toMatchObject({ outcome: 'failed', status: null, error: 'connection_failed' });
    await hook.receiver.up();
    // By itself, at the next probe.
    await eventually(
      () => hook.receiver.bodies,
      (all) => new Set(all.map(({ lead_id }) => lead_id)).size === leads.length,
      30_000,
    );
    const after = await eventually(
      () => webhookOf(hook),
      ({ checkpoint }) => checkpoint === 25,
    );
    expect(after).toMatchObject({
      status: 'active',
      failures: 0,
      waiting: 0,
      next_attempt_at: null,
    });
  });

  test('that answers 410 is disabled, and goes on from there when its owner says so', async () => {
    const hook = await hooked();
    await hook.receiver.answers(410);
    await hook.organization.lead();
    await eventually(
      () => webhookOf(hook),
      ({ status }) => status === 'disabled',
    );
    await hook.organization.lead();
    await hook.receiver.answers(200);
    const { body } = await hook.organization.patch(`/webhooks/${hook.id}`, { status: 'active' });
    expect(body).toMatchObject({ status: 'active', checkpoint: 0 });
    await arrived(hook, 3);
    // Those of two leads may pass one another.
    expect(hook.receiver.bodies.map(({ sequence }) => sequence).sort()).toEqual([1, 1, 2]);
  });

  test('may say when to come again', async () => {
    const hook = await hooked();
    await hook.receiver.answers(429, { 'retry-after': '3600' });
    await hook.organization.lead();
    const held = await eventually(
      () => webhookOf(hook),
      ({ waiting }) => waiting === 1,
    );
    const inAnHour = Date.now() + 3_600_000;
    expect(Math.abs(Date.parse(held.next_attempt_at) - inAnHour)).toBeLessThan(30_000);
  });
});

test('a test is posted whatever the status, and is in the deliveries', async () => {
  const hook = await hooked();
  await hook.organization.patch(`/webhooks/${hook.id}`, { status: 'disabled' });
  const { body } = await hook.organization.post(`/webhooks/${hook.id}/test`, undefined);
  await arrived(hook, 1);
  const [received] = hook.receiver.received;
  const message: TestMessage = {
    event_id: body.delivery_id,
    type: 'webhook.test',
    at: expect.any(String),
    organization_id: hook.organization.id,
    webhook_id: hook.id,
  };
  expect(verified(received!, hook.secret)).toEqual(message);
  expect(hook.receiver.bodies[0]).not.toHaveProperty('sequence');
  const [one] = await eventually(
    () => deliveriesOf(hook),
    (all) => all.length === 1,
  );
  expect(one).toMatchObject({
    id: body.delivery_id,
    type: 'webhook.test',
    sequence: null,
    status: 200,
  });
});

test('a wake that was lost altogether is made up for by the schedule', async () => {
  const hook = await hooked();
  await hook.organization.lead();
  await arrived(hook, 1);
  await eventually(
    () => webhookOf(hook),
    ({ checkpoint }) => checkpoint === 1,
  );
  // As if nobody had ever heard of the lead; and it is time to look again.
  const set = (Key: Key, attribute: string) =>
    table.send(
      new UpdateCommand({
        TableName: service.tableName,
        Key,
        UpdateExpression: 'SET #attribute = :zero',
        ExpressionAttributeNames: { '#attribute': attribute },
        ExpressionAttributeValues: { ':zero': 0 },
      }),
    );
  await set(webhookKey(hook.organization.id, hook.id), 'checkpoint');
  await set(dueKey(hook.organization.id, hook.id), 'due_at');
  await invoke('wakeDueWebhooks', {});
  await arrived(hook, 2);
  expect(hook.receiver.bodies.map(({ sequence }) => sequence)).toEqual([1, 1]);
});

test('a replay posts the same messages once more, signed anew by both secrets', async () => {
  const hook = await hooked();
  for (let i = 0; i < 3; i++) await hook.organization.lead();
  await arrived(hook, 3);
  await eventually(
    () => webhookOf(hook),
    ({ checkpoint }) => checkpoint === 3,
  );
  const { body: rotated } = await hook.organization.post(`/webhooks/${hook.id}/secret`, undefined);
  const replay = await hook.organization.post(`/webhooks/${hook.id}/replay`, { after: 1 });
  expect(replay.body.checkpoint).toBe(1);
  await arrived(hook, 5);
  const again = hook.receiver.received.slice(3);
  expect(bySequence(again.map(({ body }) => JSON.parse(body)))).toEqual(
    (await feedOf(hook)).slice(1),
  );
  for (const one of again) {
    expect(one.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(verified(one, hook.secret)).toEqual(verified(one, rotated.secret));
  }
});
