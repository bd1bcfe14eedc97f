import { expect, test } from 'vitest';
import { balanceOf, hold, putEvent, release, spend } from '../../support/billing.ts';
import { eventsUntil } from '../../support/events-out.ts';
import { type Organization, provision } from '../../support/organization.ts';

const pathOf = (kind: string, name: string) => `/billing/limits/${kind}/${name}`;
const limit = (organization: Organization, kind: string, name: string, body: object) =>
  organization.put(pathOf(kind, name), { period: 'month', ...body });
const told = async (organization: Organization, kind: string, name: string) => {
  const { body } = await organization.get(pathOf(kind, name));
  return [body.used_stars, body.left_stars];
};
const withStars = () => provision({ wallet: { pack_stars: 1000 } });
const times = (count: number) => Array.from({ length: count }, (_, i) => i);

test('a spender spends and holds up to the limit, and not a star beyond', async () => {
  const organization = await withStars();
  const { status, body } = await limit(organization, 'spender', 'ada', { stars: 20 });
  expect([status, body]).toEqual([
    201,
    {
      ...{ kind: 'spender', name: 'ada', stars: 20, period: 'month', enabled: true },
      ...{ alert_at: null, by_default: false, used_stars: 0, left_stars: 20 },
      resets_at: expect.stringMatching(/-01T00:00:00.000Z$/),
    },
  ]);
  const ada = { spender: 'ada' };
  expect((await spend(organization, 15, ada)).status).toBe(201);
  const refused = await spend(organization, 6, ada);
  expect([refused.status, refused.body.error.code]).toEqual([402, 'spend_limit_reached']);
  expect(refused.body.error.details).toEqual([
    {
      path: 'stars',
      message: 'are more than a spend limit leaves',
      spend_limit: {
        ...{ kind: 'spender', name: 'ada', by_default: false, period: 'month', left_stars: 5 },
        resets_at: body.resets_at,
      },
    },
  ]);
  expect((await hold(organization, 'job', 5, ada)).status).toBe(201);
  expect((await hold(organization, 'more', 1, ada)).body.error.code).toBe('spend_limit_reached');
  expect((await spend(organization, 6, { spender: 'bob' })).status).toBe(201);
  expect((await spend(organization, 6)).status).toBe(201);
  await release(organization, 'job');
  expect(await told(organization, 'spender', 'ada')).toEqual([15, 5]);
  const { body: balance } = await organization.get('/billing/balance');
  expect(balance).toMatchObject({ total_stars: 973, held_stars: 0 });
});

test('too few stars are told before a limit is', async () => {
  const organization = await withStars();
  await limit(organization, 'spender', 'ada', { stars: 20 });
  const { body } = await spend(organization, 1001, { spender: 'ada' });
  expect(body.error.code).toBe('insufficient_stars');
});

test('a capture beyond its hold goes up to the limit, and takes what is left of it if asked to', async () => {
  const organization = await withStars();
  await limit(organization, 'feature', 'chat', { stars: 12, period: 'total' });
  await hold(organization, 'job', 10, { feature: 'chat' });
  const capture = (body: object) => organization.post('/billing/holds/job/capture', body);
  const refused = await capture({ stars: 13 });
  expect(refused.body.error.details).toMatchObject([
    { spend_limit: { kind: 'feature', name: 'chat', left_stars: 2, resets_at: null } },
  ]);
  const { body } = await capture({ stars: 13, up_to_available: true });
  expect(body).toMatchObject({ captured_stars: 12, missing_stars: 1 });
  await putEvent(organization, { type: 'stars.refunded', refunds: 'job', stars: 3 });
  expect(await told(organization, 'feature', 'chat')).toEqual([9, 3]);
});

test('each spender without its own has the default, also of many first spends at once', async () => {
  const organization = await withStars();
  await limit(organization, 'default', 'spender', { stars: 10 });
  await limit(organization, 'spender', 'bob', { stars: 500 });
  const answers = await Promise.all(
    times(12).map((i) =>
      i % 2
        ? spend(organization, 3, { spender: 'new' })
        : hold(organization, `h-${i}`, 3, { spender: 'new' }),
    ),
  );
  // Who loses too many races is told so, and nothing of it is done.
  const made = answers.filter(({ status }) => status === 201).length;
  expect(made).toBeLessThanOrEqual(3);
  for (const { status, body } of answers) {
    if (status !== 201)
      expect(['spend_limit_reached', 'write_conflict']).toContain(body.error.code);
  }
  expect(await told(organization, 'spender', 'new')).toEqual([made * 3, 10 - made * 3]);
  expect((await organization.get(pathOf('spender', 'new'))).body.by_default).toBe(true);
  const { body } = await spend(organization, 11, { spender: 'other' });
  expect(body.error.details[0].spend_limit).toMatchObject({ name: 'other', by_default: true });
  expect((await spend(organization, 11, { spender: 'bob' })).status).toBe(201);
});

test('a batch that crosses a limit makes what the limit leaves, in its order', async () => {
  const organization = await withStars();
  await limit(organization, 'spender', 'ada', { stars: 10 });
  const spends = times(5).map((i) => ({ event_id: `s-${i}`, stars: 4, spender: 'ada' }));
  const body = { spends: [...spends, { event_id: 'last', stars: 2, spender: 'ada' }] };
  const answer = await organization.post('/billing/spends', body);
  const statuses = answer.body.items.map((one: { status: number }) => one.status);
  expect(statuses).toEqual([201, 201, 402, 402, 402, 201]);
  const repeat = await organization.post('/billing/spends', body);
  expect(repeat.body.items.map((one: { status: number }) => one.status)).toEqual([
    200, 200, 402, 402, 402, 200,
  ]);
  expect(await told(organization, 'spender', 'ada')).toEqual([10, 0]);
});

test('of two limits, the tightest is told', async () => {
  const organization = await withStars();
  await limit(organization, 'spender', 'ada', { stars: 10 });
  await limit(organization, 'feature', 'chat', { stars: 8 });
  const both = { spender: 'ada', feature: 'chat' };
  const ofLimit = async () =>
    (await spend(organization, 11, both)).body.error.details[0].spend_limit.kind;
  expect(await ofLimit()).toBe('feature');
  await spend(organization, 2, { spender: 'ada' });
  expect(await ofLimit()).toBe('spender');
  expect((await spend(organization, 8, both)).status).toBe(201);
  expect([
    await told(organization, 'spender', 'ada'),
    await told(organization, 'feature', 'chat'),
  ]).toEqual([
    [10, 0],
    [8, 0],
  ]);
});

test('editing a limit, switching it off, and deleting it and putting it again begin nothing anew', async () => {
  const organization = await withStars();
  const ada = { spender: 'ada' };
  await spend(organization, 7, ada);
  await limit(organization, 'spender', 'ada', { stars: 10 });
  expect(await told(organization, 'spender', 'ada')).toEqual([0, 10]);
  await spend(organization, 6, ada);
  const { status } = await limit(organization, 'spender', 'ada', { stars: 5, period: 'total' });
  expect(status).toBe(200);
  expect(await told(organization, 'spender', 'ada')).toEqual([6, 0]);
  await limit(organization, 'spender', 'ada', { stars: 5, period: 'day', enabled: false });
  expect((await spend(organization, 3, ada)).status).toBe(201);
  expect(await told(organization, 'spender', 'ada')).toEqual([9, 0]);
  expect((await organization.delete(pathOf('spender', 'ada'))).status).toBe(204);
  expect((await organization.get(pathOf('spender', 'ada'))).status).toBe(404);
  // No limit of spenders is on: this is not counted.
  await spend(organization, 50, ada);
  await limit(organization, 'spender', 'ada', { stars: 10, period: 'week' });
  expect(await told(organization, 'spender', 'ada')).toEqual([9, 1]);
  expect((await spend(organization, 2, ada)).body.error.code).toBe('spend_limit_reached');
});

test('what a limit reaches is told once for each crossing, in the feed and on the bus, as its changes are', async () => {
  const organization = await withStars();
  await limit(organization, 'spender', 'ada', { stars: 10, alert_at: 8, period: 'total' });
  const ada = { spender: 'ada' };
  await spend(organization, 8, ada);
  await spend(organization, 1, ada);
  await spend(organization, 1, ada);
  await spend(organization, 1, ada);
  await organization.delete(pathOf('spender', 'ada'));
  const ofLimits = ({ type }: { type: string }) => type.startsWith('spend_limit.');
  const common = { kind: 'spender', name: 'ada', by_default: false, period: 'total', stars: 10 };
  const expected = [
    {
      ...{ type: 'spend_limit.updated', kind: 'spender', name: 'ada' },
      changed: ['stars', 'period', 'enabled', 'alert_at'],
    },
    { type: 'spend_limit.low', ...common, alert_at: 8, used_stars: 8, resets_at: null },
    { type: 'spend_limit.reached', ...common, used_stars: 10, resets_at: null },
    { type: 'spend_limit.deleted', kind: 'spender', name: 'ada', changed: [] },
  ];
  const sent = await eventsUntil(
    organization.id,
    ({ detail }) => detail.type === 'spend_limit.deleted',
  );
  const onBus = sent.map(({ detail }) => detail).filter(ofLimits);
  expect(onBus).toHaveLength(4);
  expect(onBus).toEqual(
    expect.arrayContaining(expected.map((one) => expect.objectContaining(one))),
  );
  const { items } = (await organization.get('/changes')).body;
  const types = items.filter(ofLimits).map(({ type }: { type: string }) => type);
  expect(types.toSorted()).toEqual(expected.map(({ type }) => type).toSorted());
});

test('limits that are put while stars are spent are never exceeded, and no star is lost', async () => {
  const organization = await withStars();
  await limit(organization, 'spender', 'ada', { stars: 6 });
  const [puts, spends] = await Promise.all([
    Promise.all([5, 7].map((stars) => limit(organization, 'spender', 'ada', { stars }))),
    Promise.all(times(8).map(() => spend(organization, 1, { spender: 'ada' }))),
  ]);
  const made = spends.filter(({ status }) => status === 201).length;
  expect(made).toBeLessThanOrEqual(7);
  for (const { status, body } of puts) {
    if (status !== 200) expect(body.error.code).toBe('write_conflict');
  }
  expect((await told(organization, 'spender', 'ada'))[0]).toBe(made);
  expect((await balanceOf(organization)).total_stars).toBe(1000 - made);
});

test.each([
  ['agent', { stars: 1, alert_at: 2 }, 'alert_at'],
  ['agent', { stars: -1 }, 'stars'],
  ['agent', { stars: 1, period: 'year' }, 'period'],
  ['a%20b', { stars: 1 }, 'name'],
])('a limit of %s that says %j is refused because of %s', async (name, body, path) => {
  const organization = await withStars();
  const answer = await limit(organization, 'spender', name, body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  expect((await limit(organization, 'spender', 'a%3Ab', { stars: 0 })).body.name).toBe('a:b');
});
