import { describe, expect, test } from 'vitest';
import { capture, historyOf, hold, openingWallet, spend } from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { type Organization, provision } from '../../support/organization.ts';

const purchases = async (organization: Organization, count: number) => {
  const bodies = Array.from({ length: count }, (_, i) =>
    bodyOf(organization, { type: 'pack.purchased', stars: i + 1, event_id: `p${i}` }),
  );
  expect(await deliver(bodies)).toEqual([]);
};

test('opening stars are the first entry', async () => {
  const organization = await provision(openingWallet(40, 25));
  expect(await historyOf(organization)).toEqual([
    {
      version: 1,
      at: expect.any(String),
      type: 'organization.provisioned',
      event_id: organization.id,
      refunds: null,
      reason: null,
      feature: null,
      spender: null,
      monthly_lapsed: 0,
      pack_lapsed: 0,
      monthly_change: 40,
      pack_change: 25,
      held_change: 0,
      monthly_after: 40,
      pack_after: 25,
      held_after: 0,
      lost: [],
    },
  ]);
});

test('an organization to which nothing has happened has none', async () => {
  const { body } = await (await provision()).get('/billing/history');
  expect(body).toEqual({ items: [], next_cursor: null });
});

test('pages are newest first, complete and without doubles, and the last one says so', async () => {
  const organization = await provision();
  await purchases(organization, 7);
  const pages: number[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/billing/history?limit=3${cursor && `&cursor=${cursor}`}`;
    const { body } = await organization.get(path);
    pages.push(body.items.map(({ version }: { version: number }) => version));
    cursor = body.next_cursor;
    // What happens meanwhile is not in the pages that follow.
    if (pages.length === 1) await purchases(organization, 8);
  }
  expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  const full = await organization.get('/billing/history?limit=8');
  expect([full.body.items.length, full.body.next_cursor]).toEqual([8, null]);
});

test('a cursor is of its own organization’s history only', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await purchases(organization, 2);
  await organization.lead();
  await organization.lead();
  const history = await organization.get('/billing/history?limit=1');
  const leads = await organization.get('/leads?limit=1');
  const [ours, ofLeads] = [history.body.next_cursor, leads.body.next_cursor];
  expect((await organization.get(`/billing/history?cursor=${ours}`)).body.items.length).toBe(1);
  const refused = [
    await other.get(`/billing/history?cursor=${ours}`),
    await organization.get(`/billing/history?cursor=${ofLeads}`),
    await organization.get('/billing/history?cursor=x'),
    await organization.get(`/leads?cursor=${ours}`),
  ];
  for (const { body } of refused) expect(body.error.code).toBe('invalid_cursor');
});

test.each(['0', '201', 'x', '1.5'])('limit %s is refused, 1 and 200 are not', async (limit) => {
  const organization = await provision();
  const { body } = await organization.get(`/billing/history?limit=${limit}`);
  expect(body.error.details).toMatchObject([{ path: 'limit' }]);
  for (const one of [1, 200]) {
    expect((await organization.get(`/billing/history?limit=${one}`)).status).toBe(200);
  }
});

describe('only what is asked for', () => {
  const versionsOf = (items: { version: number }[]) => items.map(({ version }) => version);

  test('of a time, whatever its bounds are', async () => {
    const organization = await provision();
    await purchases(organization, 20);
    const entries = (await historyOf(organization)).reverse();
    const [newest, oldest] = [entries[0]!.at, entries.at(-1)!.at];
    const times = ['2000-01-01T00:00:00Z', oldest, entries[10]!.at, newest, '2099-01-01T00:00:00Z'];
    for (const from of times) {
      for (const to of times) {
        const query = `from=${from}&to=${to}`;
        const listed = await organization.readAll(`/billing/history?${query}`, 7);
        const isBetween = ({ at }: { at: string }) =>
          Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to);
        expect([query, versionsOf(listed)]).toEqual([query, versionsOf(entries.filter(isBetween))]);
      }
    }
    const since = await organization.readAll(`/billing/history?from=${newest}`);
    expect(versionsOf(since)).toContain(entries[0]!.version);
    expect(await organization.readAll(`/billing/history?to=${oldest}`)).toEqual([]);
  });

  test('of a type, a feature and a spender', async () => {
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

  test.each([
    ['from=soon', 'from'],
    ['to=2026', 'to'],
    ['type=stars.stolen', 'type'],
    ['feature=a%20b', 'feature'],
    ['spender=', 'spender'],
  ])('%s is refused', async (query, path) => {
    const { status, body } = await (await provision()).get(`/billing/history?${query}`);
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  test('a cursor belongs to what was asked for', async () => {
    const organization = await provision();
    await purchases(organization, 3);
    const { body } = await organization.get('/billing/history?limit=1&type=pack.purchased');
    const next = (query: string) =>
      organization.get(`/billing/history?${query}&cursor=${body.next_cursor}`);
    expect((await next('limit=1&type=pack.purchased')).status).toBe(200);
    for (const query of ['limit=1', 'type=stars.spent', 'type=pack.purchased&feature=a']) {
      expect((await next(query)).body.error.code).toBe('invalid_cursor');
    }
  });
});
