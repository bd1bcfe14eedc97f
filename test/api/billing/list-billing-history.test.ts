import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { emptyEntry } from '../../../lib/billing/stored/ledger-entry.ts';
import type { Change } from '../../../lib/changes/change.ts';
import { capture, historyOf, hold, openingWallet, spend } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { feedUntil } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';

const purchases = async (organization: Organization, count: number) => {
  const bodies = Array.from({ length: count }, (_, i) =>
    bodyOf(organization, { type: 'pack.purchased', stars: i + 1, event_id: `p${i}` }),
  );
  expect(await deliver(bodies)).toEqual([]);
};
const versionsOf = (items: { version: number }[]) => items.map(({ version }) => version);

test('opening stars are the first entry of a history, and without them there is none', async () => {
  const organization = await provision(openingWallet(40, 25));
  expect(await historyOf(organization)).toEqual([
    {
      ...emptyEntry,
      user_id: 'platform',
      request_id: expect.any(String),
      user_name: 'platform',
      version: 1,
      at: expect.any(String),
      type: 'organization.provisioned',
      event_id: organization.id,
      stars: 65,
      monthly_change: 40,
      pack_change: 25,
      monthly_after: 40,
      pack_after: 25,
    },
  ]);
  const { body } = await (await provision()).get('/billing/history');
  expect(body).toEqual({ items: [], next_cursor: null });
});

test('pages of a history are newest first, complete and without doubles, and the last one says so', async () => {
  const organization = await provision();
  await purchases(organization, 7);
  const pages: number[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/billing/history?limit=3${cursor && `&cursor=${cursor}`}`;
    const { body } = await organization.get(path);
    pages.push(versionsOf(body.items));
    cursor = body.next_cursor;
    // What happens meanwhile is not in the pages that follow.
    if (pages.length === 1) await purchases(organization, 8);
  }
  expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  const full = await organization.get('/billing/history?limit=8');
  expect([full.body.items.length, full.body.next_cursor]).toEqual([8, null]);
});

test('a cursor of a history belongs to its organization, and to what was asked for', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await purchases(organization, 3);
  const asked = 'limit=1&type=pack.purchased';
  const { next_cursor } = (await organization.get(`/billing/history?${asked}`)).body;
  const next = (one: Organization, query: string) =>
    one.get(`/billing/history?${query}&cursor=${next_cursor}`);
  expect((await next(organization, asked)).status).toBe(200);
  for (const refused of [
    await next(other, asked),
    await next(organization, 'limit=1'),
    await next(organization, 'type=stars.spent'),
    await next(organization, 'type=pack.purchased&feature=a'),
  ]) {
    expect(refused.body.error.code).toBe('invalid_cursor');
  }
});

test('entries of a time are listed, whatever its bounds are', async () => {
  const organization = await provision();
  // Those of one delivery may have one time.
  for (const count of [4, 8, 12, 16, 20]) await purchases(organization, count);
  const entries = (await historyOf(organization)).reverse();
  const [newest, oldest] = [entries[0]!.at, entries.at(-1)!.at];
  expect(Date.parse(oldest)).toBeLessThan(Date.parse(newest));
  const times = ['2000-01-01T00:00:00Z', oldest, entries[10]!.at, newest, '2099-01-01T00:00:00Z'];
  for (const from of times) {
    for (const to of times) {
      const query = `from=${from}&to=${to}`;
      const listed = await organization.readAll(`/billing/history?${query}`, 7);
      const isBetween = ({ at }: { at: string }) =>
        Date.parse(at) > Date.parse(from) && Date.parse(at) <= Date.parse(to);
      expect([query, versionsOf(listed)]).toEqual([query, versionsOf(entries.filter(isBetween))]);
    }
  }
  const first = await organization.readAll(`/billing/history?to=${oldest}`);
  expect(versionsOf(first)).toEqual(versionsOf(entries.filter(({ at }) => at === oldest)));
  expect(await organization.readAll(`/billing/history?from=${newest}`)).toEqual([]);
});

test('entries of a type, a feature and a spender are listed', async () => {
  const organization = await provision({ wallet: { pack_stars: 50 } });
  await hold(organization, 'job', 3, { feature: 'call', spender: 'one' });
  await capture(organization, 'job', 2);
  await spend(organization, 1, { feature: 'call', spender: 'two' });
  await spend(organization, 1, { feature: 'search', spender: 'one' });
  await spend(organization, 1);
  const listed = async (query: string, limit = 200) =>
    versionsOf(await organization.readAll(`/billing/history?${query}`, limit));
  expect(await listed('feature=call')).toEqual([4, 3, 2]);
  expect(await listed('spender=one', 1)).toEqual([5, 3, 2]);
  expect(await listed('type=stars.spent')).toEqual([6, 5, 4]);
  expect(await listed('type=stars.spent&feature=call&spender=two')).toEqual([4]);
  expect(await listed('feature=none')).toEqual([]);
  expect(await listed('feature=call&from=2000-01-01T00:00:00Z')).toEqual([4, 3, 2]);
});

test('who spent stars, and by which request, is told by the history, the spend and the feed alike', async () => {
  const organization = await provision({ wallet: { pack_stars: 9 } });
  const id = randomUUID();
  const { headers } = await organization.put(
    `/billing/spends/${id}`,
    { stars: 2 },
    { role: 'admin' },
  );
  const { admin } = organization.users;
  const origin = { user_id: admin, request_id: headers.get('x-request-id') };
  expect((await historyOf(organization)).at(-1)).toMatchObject({ event_id: id, ...origin });
  expect((await organization.get(`/billing/spends/${id}`)).body).toMatchObject({ user_id: admin });
  const isSpend = (change: Change) => 'entry' in change && change.entry.event_id === id;
  const feed = await feedUntil(organization, isSpend);
  expect(feed.find(isSpend)).toMatchObject({ type: 'wallet.changed', ...origin });
});
