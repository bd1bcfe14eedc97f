import { expect, test } from 'vitest';
import { ledgerEntryKey, walletKey } from '../../support/keys.ts';
import { provision } from '../../support/organization.ts';
import { setFields } from '../../support/table.ts';

// What a statement has, and that it adds up: test/unit/billing/statement.test.ts.

const iso = (time: number) => new Date(time).toISOString();

test('a statement of a time before the wallet was made has no stars, whoever may read balances gets it', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const ask = (from: string, to: string, more = '') =>
    organization.get(`/billing/statement?from=${from}&to=${to}${more}`);
  const month = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'] as const;
  const { status, body } = await ask(...month);
  expect([status, body.items, body.next_cursor]).toEqual([200, [], null]);
  expect(body.opening).toMatchObject({ total_stars: 0, as_of: '2026-01-01T00:00:00.000Z' });
  expect(body.closing).toMatchObject({ total_stars: 0, as_of: '2026-02-01T00:00:00.000Z' });
  expect((await ask(month[0], month[0])).status).toBe(200);
  const soon = iso(Date.now() - 10_000);
  for (const [query, path, message] of [
    [[month[1], month[0]], 'from', 'must not be after to'],
    [[month[0], soon], 'to', 'must be at least 15 seconds in the past'],
    [['yesterday', month[1]], 'from', expect.any(String)],
  ] as const) {
    expect((await ask(query[0], query[1])).body.error.details).toEqual([{ path, message }]);
  }
  expect((await ask(...month, '&cursor=none')).body.error.code).toBe('invalid_cursor');
});

test('a statement is of last month unless told, or of the month that its end is in', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  const ask = async (query: string) => {
    const { opening, closing } = (await organization.get(`/billing/statement?${query}`)).body;
    return [opening.as_of, closing.as_of];
  };
  const settled = new Date(Date.now() - 15_000);
  const month = (back: number) =>
    iso(Date.UTC(settled.getUTCFullYear(), settled.getUTCMonth() - back));
  expect(await ask('')).toEqual([month(1), month(0)]);
  expect(await ask('to=2026-03-15T12:00:00Z')).toEqual([
    '2026-03-01T00:00:00.000Z',
    '2026-03-15T12:00:00.000Z',
  ]);
  expect(await ask('to=2026-03-01T00:00:00Z')).toEqual([
    '2026-02-01T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
  ]);
});

test('a statement has the balances at two times, and the entries between them', async () => {
  const organization = await provision({ wallet: { pack_stars: 7 } });
  // As if it were an hour old: a statement ends 15 seconds ago at the latest.
  const then = Date.now() - 3_600_000;
  await setFields(walletKey(organization.id), { at: then, opened_at: then });
  await setFields(ledgerEntryKey(organization.id, 1), { at: iso(then) });
  const { body } = await organization.get(
    `/billing/statement?from=${iso(then - 1)}&to=${iso(then + 1)}`,
  );
  expect(body.items).toMatchObject([{ type: 'organization.provisioned', stars: 7, version: 1 }]);
  expect([body.opening.total_stars, body.closing.total_stars]).toEqual([0, 7]);
});
