import { expect, test } from 'vitest';
import {
  balanceOf,
  capture,
  expectSoundLedger,
  historyOf,
  hold,
  openingWallet,
  putEvent,
  release,
  spend,
} from '../../support/billing.ts';
import { bodyOf, deliver } from '../../support/events-in.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';

test('what a job cost is spent of what was held for it, and everyone reads so', async () => {
  const organization = await provision(openingWallet(40, 25));
  expect((await hold(organization, 'job', 50)).status).toBe(201);
  expect(await balanceOf(organization)).toMatchObject({ held_stars: 50, available_stars: 15 });
  const { body } = await capture(organization, 'job', 45);
  expect(body).toMatchObject({ captured_stars: 45, returned_stars: 5 });
  const { as_of, ...balance } = await balanceOf(organization);
  expect(body.balance).toMatchObject(balance);
  expect((await historyOf(organization)).map(({ type }) => type)).toEqual([
    'organization.provisioned',
    'stars.held',
    'hold.captured',
  ]);
  const again = await release(organization, 'job');
  expect([again.status, again.body.error.code]).toEqual([409, 'already_captured']);
});

test('every change of a wallet writes off first what has expired', async () => {
  const changes: Record<string, (organization: Organization) => Promise<unknown>> = {
    putHold: (one) => hold(one, 'other', 10),
    updateHold: (one) => one.patch('/billing/holds/long', { expires_in_seconds: 900 }),
    captureHold: (one) => capture(one, 'long', 5),
    releaseHold: (one) => release(one, 'long'),
    putSpend: (one) => spend(one, 6),
    createSpends: (one) =>
      one.post('/billing/spends', { spends: [{ event_id: 'spent', stars: 6 }] }),
    putEvent: (one) => putEvent(one, { event_id: 'spent', type: 'stars.spent', stars: 6 }),
    applyWalletEvents: (one) => deliver([bodyOf(one, { type: 'stars.spent', stars: 6 })]),
  };
  await Promise.all(
    Object.entries(changes).map(async ([name, change]) => {
      const organization = await provision({ wallet: { pack_stars: 15 } });
      await hold(organization, 'long', 5);
      const short = await hold(organization, 'short', 10, { expires_in_seconds: 1 });
      expect(short.body.balance.available_stars).toBe(0);
      const before = await eventually(
        () => balanceOf(organization),
        ({ available_stars }) => available_stars === 10,
      );
      await change(organization);
      const entries = await historyOf(organization);
      expectSoundLedger(entries);
      expect([name, entries.map(({ type }) => type).slice(3, 4)]).toEqual([name, ['hold.expired']]);
      expect(entries.length).toBe(5);
      // What was told of that moment is told of it again.
      const { body } = await organization.get(`/billing/balance?at=${before.as_of}`);
      expect(body).toEqual(before);
    }),
  );
});

test('60 holds and captures at once: each star is held once, and spent or returned once', {
  tags: ['long'],
  timeout: 120_000,
}, async () => {
  const organization = await provision(openingWallet(15, 15));
  const held = await Promise.all(
    Array.from({ length: 60 }, (_, i) => hold(organization, `hold-${i}`, 1)),
  );
  const ours = held.flatMap(({ status }, i) => (status === 201 ? [`hold-${i}`] : []));
  expect([held.filter(({ status }) => status === 402).length, ours.length]).toEqual([30, 30]);
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 30, available_stars: 0 });
  // Each is captured and released at once: one of both ends it.
  const ends = await Promise.all(
    ours.flatMap((id) => [capture(organization, id), release(organization, id)]),
  );
  const captured = ends.filter(({ status }, i) => status === 200 && i % 2 === 0).length;
  const released = ends.filter(({ status }, i) => status === 200 && i % 2 === 1).length;
  expect(captured + released).toBe(30);
  const errors = new Set(
    ends.flatMap(({ status, body }) => (status === 200 ? [] : [body.error.code])),
  );
  expect([...errors].every((code) => /^already_(captured|released)$/.test(code))).toBe(true);
  expect(await balanceOf(organization)).toMatchObject({
    total_stars: 30 - captured,
    held_stars: 0,
    available_stars: 30 - captured,
  });
  expectSoundLedger(await historyOf(organization));
});

test('a hold can be read as it is now, and its start is answered as it was', async () => {
  const organization = await provision(openingWallet(0, 10));
  const purpose = { reason: 'A call', feature: 'call', spender: 'agent:7' };
  const first = await hold(organization, 'job', 6, purpose);
  const { balance, ...started } = first.body;
  expect(first.body).toMatchObject({ hold_id: 'job', stars: 6, ...purpose });
  const read = async () => (await organization.get('/billing/holds/job')).body;
  const open = { ...started, status: 'open', captured_stars: 0, created_at: balance.as_of };
  expect(await read()).toEqual(open);
  const { body: extended } = await organization.patch('/billing/holds/job', {
    expires_in_seconds: 3600,
  });
  expect(extended).toEqual({ ...open, expires_at: expect.any(String) });
  expect(Date.parse(extended.expires_at)).toBeGreaterThan(Date.parse(started.expires_at) + 2e6);
  expect(await read()).toEqual(extended);
  const again = await hold(organization, 'job', 6, purpose);
  expect([again.status, again.body]).toEqual([200, first.body]);
  await capture(organization, 'job', 4);
  expect(await read()).toEqual({ ...extended, status: 'captured', captured_stars: 4 });
  expect((await organization.get('/billing/holds/none')).status).toBe(404);
  expect((await capture(organization, 'none')).status).toBe(404);
});

test('more stars than there are can’t be held, and more than were held can’t be captured', async () => {
  const organization = await provision(openingWallet(0, 10));
  const refused = await hold(organization, 'job', 11);
  expect([refused.status, refused.body.error.details[0].available_stars]).toEqual([402, 10]);
  const late = await hold(organization, 'job', 1, { not_after: '2026-01-01T00:00:00Z' });
  expect([late.status, late.body.error.code]).toEqual([409, 'too_late']);
  expect((await hold(organization, 'job', 10)).status).toBe(201);
  const more = await capture(organization, 'job', 11);
  expect([more.status, more.body.error.details[0].path]).toEqual([400, 'stars']);
});

test.each([
  ['stars', 0],
  ['expires_in_seconds', 0],
  ['expires_in_seconds', 604_801],
  ['expires_in_seconds', undefined],
  ['spender', 'x'.repeat(65)],
  ['color', 'red'],
])('a hold with %s %s is refused', async (field, value) => {
  const organization = await provision(openingWallet(0, 10));
  const { status, body } = await hold(organization, 'job', 1, { [field]: value });
  expect([status, body.error.details[0].path]).toEqual([400, field]);
  const longest = await hold(organization, 'job', 1, { expires_in_seconds: 604_800 });
  expect(longest.status).toBe(201);
});

test('open holds are listed in pages, the soonest to expire first', async () => {
  const organization = await provision(openingWallet(0, 50));
  const ids = Array.from({ length: 7 }, (_, i) => `hold:${i}-${'x'.repeat(120)}`);
  for (const [i, id] of ids.entries()) {
    await hold(organization, id, 1, { expires_in_seconds: 600 - 10 * i });
  }
  await release(organization, ids[3]!);
  await hold(organization, 'short', 1, { expires_in_seconds: 1 });
  await eventually(
    () => organization.get('/billing/holds/short'),
    ({ body }) => body.status === 'expired',
  );
  const listed = await organization.readAll('/billing/holds', 2);
  const open = ids.filter((_, i) => i !== 3).reverse();
  expect(listed.map(({ hold_id, status }) => [hold_id, status])).toEqual(
    open.map((id) => [id, 'open']),
  );
  expect(listed[0]).toEqual((await organization.get(`/billing/holds/${open[0]}`)).body);
});
