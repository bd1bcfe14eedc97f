import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handler as createSpends } from '../../../functions/billing/create-spends.ts';
import type { SpendBatchResult } from '../../../lib/billing/spend-batch.ts';
import { type Organization, run } from '../support.ts';
import { apply, spend, withStars } from './in-process-wallet.ts';

const requestOf = (organization: Organization, spends: readonly object[]) => ({
  headers: { ...organization.headers(), 'content-type': 'application/json' },
  body: JSON.stringify({ spends }),
});

test('a batch of spends has an outcome for each: made, repeated, refused, late, of another content', async () => {
  const organization = await withStars(0, 10);
  const before = spend(organization, 2);
  await apply(before);
  const ids = Array.from({ length: 3 }, () => randomUUID());
  const spends = [
    { event_id: ids[0], stars: 3 },
    { event_id: before.event_id, stars: 2 },
    { event_id: ids[1], stars: 6 },
    { event_id: ids[2], stars: 1, not_after: '2020-01-01T00:00:00Z' },
    { event_id: before.event_id, stars: 1 },
  ];
  const request = requestOf(organization, spends);
  const { status, body } = await run(createSpends, request);
  expect(status).toBe(200);
  const summary = body.items.map((item: SpendBatchResult['items'][number]) => [
    item.event_id,
    item.status,
    'error' in item ? item.error.code : item.balance.total_stars,
  ]);
  expect(summary).toEqual([
    [ids[0], 201, 5],
    [before.event_id, 200, 8],
    [ids[1], 402, 'insufficient_stars'],
    [ids[2], 409, 'too_late'],
    [before.event_id, 409, 'event_id_reused'],
  ]);
  const repeat = await run(createSpends, request);
  expect(repeat.body.items[0]).toMatchObject({ status: 200, balance: { total_stars: 5 } });
});

test('a batch has at most 25 spends', async () => {
  const organization = await withStars(0, 50);
  const ofSize = async (length: number) => {
    const spends = Array.from({ length }, () => ({ event_id: randomUUID(), stars: 1 }));
    return (await run(createSpends, requestOf(organization, spends))).status;
  };
  expect([await ofSize(0), await ofSize(25), await ofSize(26)]).toEqual([400, 200, 400]);
});
