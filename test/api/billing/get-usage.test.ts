import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { places } from '../../../lib/table/keys.ts';
import { mostDays } from '../../../lib/usage/usage.ts';
import { capture, hold, putEvent, release, spend } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, pastCommits, provision } from '../../support/organization.ts';
import { itemsOf, table } from '../../support/table.ts';

// That each entry counts exactly once: test/unit/usage/projection.property.test.ts.

const today = () => new Date().toISOString().slice(0, 10);

/** What was used, once all is counted: asked for within one day, also at midnight. */
const usageOf = async (organization: Organization, query: string) => {
  const { body } = await eventually(
    async () => {
      const asked = new Date().toISOString();
      const answer = await organization.get(`/billing/usage?${query}`);
      return { ...answer, isWhole: answer.body.as_of >= asked };
    },
    ({ isWhole }) => isWhole,
  );
  return body;
};

test('usage is told by day, feature and spender: spends, captures and refunds, and nothing else', async () => {
  const organization = await provision({ wallet: { pack_stars: 1000 } });
  const from = today();
  await spend(organization, 10, { event_id: 'one', feature: 'search', spender: 'ana' });
  await spend(organization, 20, { feature: 'summary', spender: 'ana' });
  await spend(organization, 3);
  await hold(organization, 'job', 50, { feature: 'summary', spender: 'bia' });
  await capture(organization, 'job', 40);
  await hold(organization, 'no', 70, { feature: 'summary' });
  await release(organization, 'no');
  await putEvent(organization, { type: 'stars.refunded', refunds: 'one', stars: 4 });
  await putEvent(organization, { type: 'stars.refunded', refunds: 'job', stars: 5 });
  const adjusted = { type: 'stars.adjusted', pack_change: -7, reason: 'by hand' };
  await putEvent(organization, adjusted);
  const days = `from=${from}&to=${today()}`;
  const { items, next_cursor } = await usageOf(organization, days);
  expect(next_cursor).toBeNull();
  const spent = items.reduce(
    (sum: number, one: { spent_stars: number }) => sum + one.spent_stars,
    0,
  );
  expect([items[0].day, spent]).toEqual([from, 73]);
  expect((await usageOf(organization, `${days}&group_by=feature`)).items).toEqual([
    { name: null, spent_stars: 3, refunded_stars: 0 },
    { name: 'search', spent_stars: 10, refunded_stars: 4 },
    { name: 'summary', spent_stars: 60, refunded_stars: 5 },
  ]);
  const bySpender = [
    { name: null, spent_stars: 3, refunded_stars: 0 },
    { name: 'ana', spent_stars: 30, refunded_stars: 4 },
    { name: 'bia', spent_stars: 40, refunded_stars: 5 },
  ];
  expect(await organization.readAll(`/billing/usage?${days}&group_by=spender`, 1)).toEqual(
    bySpender,
  );
  expect(await organization.readAll(`/billing/usage?${days}&group_by=spender`, 200)).toEqual(
    bySpender,
  );
});

test('an organization that used nothing has days without stars, and no names', async () => {
  const organization = await provision();
  const { items, as_of } = await usageOf(organization, 'from=2026-01-30&to=2026-02-02');
  expect(items).toEqual(
    ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02'].map((day) => ({
      ...{ day, spent_stars: 0, refunded_stars: 0 },
    })),
  );
  expect(Date.parse(as_of)).toBeLessThanOrEqual(Date.now());
  expect((await usageOf(organization, 'group_by=feature')).items).toEqual([]);
});

test('usage is of this month unless told, or of the month that its end is in', async () => {
  const organization = await provision();
  const daysOf = async (query: string) => {
    const { items } = (await organization.get(`/billing/usage?${query}`)).body;
    return [items[0].day, items.at(-1).day];
  };
  const day = today();
  expect(await daysOf('')).toEqual([`${day.slice(0, 7)}-01`, day]);
  expect(await daysOf('to=2026-02-15')).toEqual(['2026-02-01', '2026-02-15']);
  expect(await daysOf('from=2025-12-31&to=2026-01-01')).toEqual(['2025-12-31', '2026-01-01']);
});

test('days out of order, too many, or that are none are refused, and cursors of another list', async () => {
  const organization = await provision();
  const ask = (query: string) => organization.get(`/billing/usage?${query}`);
  const year = 'from=2024-01-01&to=2024-12-31';
  expect((await ask(`${year}&limit=200`)).body.items).toHaveLength(200);
  expect(await organization.readAll(`/billing/usage?${year}`)).toHaveLength(mostDays);
  for (const [query, path, message] of [
    ['from=2026-02-01&to=2026-01-31', 'from', 'must not be after to'],
    [
      'from=2024-01-01&to=2025-01-01',
      'to',
      `must be at most ${mostDays} days from the first one on`,
    ],
    ['from=2026-02-30', 'from', expect.any(String)],
    ['to=2026-02-01T00:00:00Z', 'to', expect.any(String)],
    ['group_by=month', 'group_by', expect.any(String)],
  ] as const) {
    expect((await ask(query)).body.error.details).toEqual([{ path, message }]);
  }
  const { next_cursor } = (await ask('from=2026-01-01&to=2026-02-01&limit=1')).body;
  expect((await ask(`from=2026-01-01&to=2026-02-01&limit=2&cursor=${next_cursor}`)).status).toBe(
    200,
  );
  expect((await ask(`from=2026-01-02&to=2026-02-01&cursor=${next_cursor}`)).body.error.code).toBe(
    'invalid_cursor',
  );
});

test('who may read balances may read usage', async () => {
  const organization = await provision();
  for (const role of ['owner', 'support', 'billing', 'meter'] as const)
    expect((await organization.get('/billing/usage', { role })).status).toBe(200);
  for (const role of ['agent', 'viewer'] as const)
    expect((await organization.get('/billing/usage', { role })).status).toBe(403);
});

test('names of many months are one list, with the sums of all, in pages', async () => {
  const organization = await provision({ name: pastCommits, wallet: { pack_stars: 1 } });
  await spend(organization, 1);
  await usageOf(organization, 'group_by=spender');
  const counted = places.usage.key({ organizationId: organization.id });
  const [item] = await itemsOf(counted.pk);
  const sumsId = String(item!.sums_id);
  const put = (month: string, name: string, sums: object) =>
    table.send(
      new PutCommand({
        TableName: inject('service').tableName,
        Item: {
          ...places.usageSum.key({
            ...{ organizationId: organization.id, sumsId },
            ...{ grouping: 'spender', month, name },
          }),
          ...sums,
        },
      }),
    );
  await put('2026-03', 'a', { spent_31: 1 });
  await put('2026-03', 'c', { spent_30: 2 });
  await put('2026-04', 'b', { spent_01: 4, refunded_01: 1 });
  await put('2026-04', 'c', { spent_30: 8, refunded_02: 2 });
  await put('2026-05', 'a', { spent_01: 16 });
  await put('2026-05', 'd', { spent_02: 32 });
  const all = [
    { name: 'a', spent_stars: 17, refunded_stars: 0 },
    { name: 'b', spent_stars: 4, refunded_stars: 1 },
    { name: 'c', spent_stars: 8, refunded_stars: 2 },
  ];
  for (const limit of [1, 2, 3, 200]) {
    const path = '/billing/usage?from=2026-03-31&to=2026-05-01&group_by=spender';
    expect([limit, await organization.readAll(path, limit)]).toEqual([limit, all]);
  }
});
