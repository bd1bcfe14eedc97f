import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventUpdate } from '../../../../lib/billing/events/event-update.ts';
import { extensionUpdate } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate, releaseUpdate } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate } from '../../../../lib/billing/holds/new-hold.ts';
import { spendUpdate } from '../../../../lib/billing/spends/spend.ts';
import { changeWalletInBatch } from '../../../../lib/billing/writer/change-wallet.ts';
import type { UpdateContent, WalletUpdate } from '../../../../lib/billing/writer/wallet-update.ts';
import type { Organization } from '../../support.ts';
import { limited, useStillClock } from '../holds/in-process-holds.ts';
import { changing, eventOf, historyOf, watchedTable, withStars } from '../in-process-wallet.ts';

useStillClock();

/** An update that some user asks for. */
const asked = (content: UpdateContent, spender?: string): WalletUpdate => ({
  ...content,
  origin: { by: randomUUID(), requestId: randomUUID() },
  spender,
});

const make = ({ id }: Organization, updates: readonly WalletUpdate[], to = limited()) =>
  changeWalletInBatch(changing(to), { organizationId: id, updates });

const hold = (id: string, fields: object = {}) =>
  holdUpdate(id, { stars: 5, expires_in_seconds: 60, ...fields });

test('an update is a plain value: as JSON and back, it is the same one', async () => {
  const organization = await withStars(0, 100);
  const { id } = organization;
  const updates = [
    asked(spendUpdate(id, { event_id: 's', stars: 1, feature: 'f', not_after: Date.now() })),
    asked(spendUpdate(id, { event_id: 'own', stars: 1 }), 'agent'),
    asked(eventUpdate(eventOf(organization, { type: 'pack.purchased', stars: 9 }))),
    ...['a', 'b', 'c'].map((one) => asked(hold(one, { spender: 'agent' }))),
    asked(extensionUpdate('a', 600)),
    asked(captureUpdate('b', { stars: 7, up_to_available: true }), 'agent'),
    asked(releaseUpdate('c')),
  ];
  const sent: WalletUpdate[] = JSON.parse(JSON.stringify(updates));
  const results = await make(organization, sent);
  expect(results.flatMap((one) => ('error' in one ? one.error : []))).toEqual([]);
  expect(results.map((one) => 'record' in one && one.isRepeat)).toEqual(updates.map(() => false));
  const again = await make(organization, updates);
  expect(again.map((one) => 'record' in one && one.isRepeat)).toEqual(updates.map(() => true));
  const { origin } = updates[1]!;
  expect(await historyOf(organization)).toContainEqual(
    expect.objectContaining({
      event_id: 'own',
      spender: 'agent',
      user_id: origin.by,
      request_id: origin.requestId,
    }),
  );
});

test('one transaction makes updates of several callers, each by the spender of its own', async () => {
  const organization = await withStars(0, 100);
  const { requests, table: watched } = watchedTable();
  const spend = (event_id: string, spender?: string) =>
    spendUpdate(organization.id, { event_id, stars: 1, spender });
  const updates = [
    asked(spend('any', 'b')),
    asked(spend('own'), 'a'),
    asked(spend('other', 'b'), 'a'),
    asked(hold('held'), 'a'),
    asked(releaseUpdate('held'), 'b'),
    asked(captureUpdate('held', {}), 'a'),
  ];
  const results = await make(organization, updates, watched);
  const codeOf = (error: unknown) => (error as { code: string }).code;
  expect(results.map((one) => ('error' in one ? codeOf(one.error) : 'made'))).toEqual([
    'made',
    'made',
    'forbidden',
    'made',
    'not_found',
    'made',
  ]);
  expect(requests.filter(([operation]) => operation === 'TransactWrite')).toHaveLength(1);
  const made = await historyOf(organization);
  const told = made.slice(1).map(({ event_id, spender, user_id }: Record<string, unknown>) => ({
    event_id,
    spender,
    user_id,
  }));
  const by = (i: number) => updates[i]!.origin.by;
  expect(told).toEqual([
    { event_id: 'any', spender: 'b', user_id: by(0) },
    { event_id: 'own', spender: 'a', user_id: by(1) },
    { event_id: 'held', spender: 'a', user_id: by(3) },
    { event_id: 'held', spender: 'a', user_id: by(5) },
  ]);
});

test('who has a spender of its own spends and holds for that one, and gives nobody stars', async () => {
  const organization = await withStars(0, 100);
  const adjustment = eventUpdate(
    eventOf(organization, { type: 'stars.adjusted', pack_change: 1, reason: 'r' }),
  );
  expect(await make(organization, [asked(adjustment, 'a')])).toMatchObject([
    { error: { code: 'forbidden' } },
  ]);
  expect(await make(organization, [asked(adjustment)])).toMatchObject([{ isRepeat: false }]);
});
