import { expect, test } from 'vitest';
import { capture, hold, openingWallet, spend } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { provision } from '../../support/organization.ts';

test('what was spent can be read, with what came back of it, and so can a captured hold', async () => {
  const organization = await provision(openingWallet(0, 10));
  const { body: first } = await spend(organization, 5, { event_id: 'one', feature: 'f' });
  const read = (id: string) => organization.get(`/billing/spends/${id}`, { role: 'billing' });
  const { balance, ...content } = first;
  const by = { user_id: organization.users.owner, user_name: null };
  const one = { ...content, refunded_stars: 0, spent_at: balance.as_of, ...by };
  expect((await read('one')).body).toEqual(one);
  const refund = { type: 'stars.refunded', refunds: 'one', stars: 2, event_id: 'refund' };
  expect(await deliver([bodyOf(organization, refund)])).toEqual([]);
  expect((await read('one')).body).toEqual({ ...one, refunded_stars: 2 });
  await hold(organization, 'held', 4, { spender: 's' });
  for (const id of ['refund', 'held', 'none']) expect((await read(id)).status).toBe(404);
  const ended = await capture(organization, 'held', 3);
  expect((await read('held')).body).toEqual({
    event_id: 'held',
    stars: 3,
    reason: null,
    feature: null,
    spender: 's',
    refunded_stars: 0,
    spent_at: ended.body.balance.as_of,
    ...by,
  });
});
