import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { putEvent } from '../../support/billing.ts';
import { putEvents } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { callAsPlatform, invoke, type Organization } from '../../support/organization.ts';
import { arrived, feedOf, hooked, webhookWhere } from '../webhooks/hooks.ts';

// Who is refused what: test/unit/organizations/suspension.test.ts.

const suspend = async ({ id }: Organization, suspended: boolean) => {
  const { status } = await callAsPlatform('PUT', `/organizations/${id}/suspension`, { suspended });
  expect(status).toBe(200);
};

const asPlatform = { headers: { authorization: `Bearer ${inject('service').platformKey}` } };

/** Has the worker look at an organization's webhooks, as its queue does. */
const wake = async (organization_id: string): Promise<void> => {
  const body = JSON.stringify({ organization_id, consumer: 'webhooks' });
  const Records = [{ messageId: '1', body, attributes: { ApproximateReceiveCount: '1' } }];
  const { failed, payload } = await invoke('followChanges', { Records });
  expect([failed, payload]).toEqual([false, { batchItemFailures: [] }]);
};

test('while an organization is suspended its webhooks wait, its billing goes on, and then nothing is missing', async () => {
  const hook = await hooked();
  const { organization, receiver } = hook;
  await receiver.answers(500);
  const lead = await organization.lead();
  await webhookWhere(hook, { waiting: 1 });
  await suspend(organization, true);
  const posted = receiver.received.length;
  await receiver.answers(200);

  expect((await putEvent(organization, { type: 'pack.purchased', stars: 30 })).status).toBe(201);
  await putEvents(organization, [{ type: 'pack.purchased', event_id: randomUUID(), stars: 12 }]);
  await eventually(
    async () => (await organization.get('/billing/balance', asPlatform)).body,
    ({ total_stars }) => total_stars === 42,
  );
  await eventually(
    async () => (await organization.get('/changes', asPlatform)).body.items,
    (items: { type: string }[]) =>
      items.filter(({ type }) => type === 'wallet.changed').length === 2,
  );
  await wake(organization.id);
  const refused = await organization.get(`/leads/${lead.id}`);
  expect(refused.body.error.code).toBe('organization_suspended');
  expect(receiver.received.length).toBe(posted);

  await suspend(organization, false);
  await arrived(hook, posted + 3);
  await webhookWhere(hook, { waiting: 0, status: 'active' });
  const feed = await feedOf(hook);
  expect(feed.length).toBe(3);
  const told = new Set(receiver.bodies.map(({ sequence }) => sequence));
  expect([...told].toSorted((a, b) => a - b)).toEqual(feed.map(({ sequence }) => sequence));
});
