import { expect, test } from 'vitest';
import { hold, putEvent, release, spend } from '../../support/billing.ts';
import { eventsUntil } from '../../support/events-out.ts';
import { type Organization, provision } from '../../support/organization.ts';

const path = '/billing/alerts';
const thresholdsOf = async (organization: Organization) =>
  (await organization.get(path)).body.thresholds;

test('thresholds are put as a whole, and answered the greatest first', async () => {
  const organization = await provision();
  for (const thresholds of [[10, 100], [10, 100], [1, 2, 3, 4, 5], [8_000_000_000_000_000], []]) {
    const { status, body } = await organization.put(path, { thresholds });
    expect([status, body]).toEqual([200, { thresholds: thresholds.sort((a, b) => b - a) }]);
    expect(await thresholdsOf(organization)).toEqual(thresholds);
  }
  const { body } = await organization.put(path, { thresholds: [5, 5] });
  expect(body.error.details).toMatchObject([{ path: 'thresholds' }]);
});

test('stars.low is sent for each threshold that a change falls to, after the change itself', async () => {
  const organization = await provision({ wallet: { pack_stars: 120 } });
  await organization.put(path, { thresholds: [100, 10] });
  await spend(organization, 20);
  await spend(organization, 1);
  await hold(organization, 'job', 99);
  await release(organization, 'job');
  await putEvent(organization, { type: 'pack.purchased', stars: 1000 });
  const sent = await eventsUntil(
    organization.id,
    ({ detail }) => detail.type === 'wallet.changed' && detail.version === 6,
  );
  const told = sent
    .map(({ detail: one }) => [one.version, one.type, one.threshold, one.available_stars])
    .filter(([, type]) => String(type).startsWith('stars.'));
  expect(told).toEqual([
    [2, 'stars.low', 100, 100],
    [4, 'stars.low', 10, 0],
    [4, 'stars.depleted', undefined, undefined],
  ]);
  const { items } = (await organization.get('/changes')).body;
  const types = items.map(({ type }: { type: string }) => type);
  const first = types.indexOf('stars.low');
  expect(types.slice(first - 1, first + 1)).toEqual(['wallet.changed', 'stars.low']);
});

test('thresholds that are put while stars are spent neither lose a star nor get lost', async () => {
  const organization = await provision({ wallet: { pack_stars: 60 } });
  const thresholds = [5, 6];
  const [puts, spends] = await Promise.all([
    Promise.all(thresholds.map((one) => organization.put(path, { thresholds: [one] }))),
    Promise.all(Array.from({ length: 8 }, () => spend(organization, 1))),
  ]);
  const left = spends.map(({ body }) => body.balance?.total_stars);
  expect(left.toSorted()).toEqual([52, 53, 54, 55, 56, 57, 58, 59]);
  expect((await organization.get('/billing/balance')).body.total_stars).toBe(52);
  // Both may have read before either wrote: one of them is refused then.
  const answers = puts.map(({ status, body }) => body.error?.code ?? status);
  expect([
    [200, 200],
    [200, 'write_conflict'],
    ['write_conflict', 200],
  ]).toContainEqual(answers);
  const put = thresholds.filter((_, i) => answers[i] === 200).map((one) => [one]);
  expect(put).toContainEqual(await thresholdsOf(organization));
});
