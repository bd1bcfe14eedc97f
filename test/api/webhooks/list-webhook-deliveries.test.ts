import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { deliveriesOf, feedOf, hooked } from './hooks.ts';

// How long they are kept is tested in test/unit/webhooks/delivery/delivery-log.test.ts.

test('every attempt is listed, newest first, with what became of it, to its own webhook only', async () => {
  const hook = await hooked();
  const { organization, path, receiver } = hook;
  const other = await organization.post('/webhooks', { url: receiver.url, types: ['lead.erased'] });
  await receiver.answers(429, { 'retry-after': '3600' });
  await organization.lead();
  await deliveriesOf(hook, 1);
  await receiver.answers(200);
  // Its owner says when to go on.
  for (const status of ['disabled', 'active']) await organization.patch(path, { status });
  const all = await deliveriesOf(hook, 2);
  const [created] = await feedOf(hook);
  const { event_id, sequence } = created!;
  const of = { event_id, type: 'lead.created', sequence, error: null };
  expect(all).toMatchObject([
    { ...of, attempt: 2, outcome: 'delivered', status: 200 },
    { ...of, attempt: 1, outcome: 'failed', status: 429 },
  ]);
  const { next_cursor } = (await organization.get(`${path}/deliveries?limit=1`)).body;
  const others = `/webhooks/${other.body.id}/deliveries`;
  expect((await organization.get(others)).body.items).toEqual([]);
  expect(outcome(await organization.get(`${others}?cursor=${next_cursor}`))).toBe('invalid_cursor');
  expect(outcome(await organization.get(`/webhooks/${randomUUID()}/deliveries`))).toBe('not_found');
});
