import { expect, test } from 'vitest';
import {
  arrived,
  bySequence,
  deliveriesOf,
  feedOf,
  hooked,
  verified,
  webhookWhere,
} from '../webhooks/hooks.ts';

test('every change arrives at a webhook as it is in the feed, signed, and of each lead in order', async () => {
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
  await webhookWhere(hook, { checkpoint: hook.start + 16 });
  const deliveries = await deliveriesOf(hook, 16);
  const idsOf = (all: { event_id: string }[]) => all.map(({ event_id }) => event_id).sort();
  expect(idsOf(deliveries)).toEqual(idsOf(feed));
  const delivered = { outcome: 'delivered', status: 200, error: null, attempt: 1 };
  expect(deliveries[0]).toMatchObject(delivered);
});

test('only what a webhook asked for arrives, as often as its endpoint does not take it', async () => {
  const hook = await hooked({ types: ['lead.deleted'] });
  const { organization, receiver } = hook;
  await receiver.answers(429, { 'retry-after': '3600' });
  const { id } = await organization.lead();
  await organization.delete(`/leads/${id}`);
  const held = await webhookWhere(hook, { waiting: 1 });
  expect(held).toMatchObject({
    status: 'active',
    failures: 1,
    given_up: 0,
    checkpoint: hook.start + 2,
  });
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
