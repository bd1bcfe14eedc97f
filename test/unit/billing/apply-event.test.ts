import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { applyEvent } from '../../../lib/billing/apply-event.ts';
import { ledgerEntryKey } from '../../../lib/table/keys.ts';
import type { Organization } from '../support.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  spend,
  table,
  walletOf,
  watchedTable,
  withStars,
} from './in-process-wallet.ts';

// What it does to wallet and ledger, and what is refused: test/api/billing/put-spend.test.ts and put-event.test.ts.

test('an entry is never written over', async () => {
  const organization = await withStars(0, 25);
  const item = await table.get(ledgerEntryKey(organization.id, 1));
  const behind = { ...(await walletOf(organization)), version: 0 };
  await table.transact([{ Put: { Item: behind } }]);
  expect(await failure(apply(spend(organization, 1)))).toBeDefined();
  expect(await table.get(ledgerEntryKey(organization.id, 1))).toEqual(item);
});

test('a repeat is answered from its guard, in any order of its fields, when no star is left', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 10, { reason: 'r' });
  const { requests, table: watched } = watchedTable();
  const repeat = { ...(await applyEvent(watched, event)), isRepeat: true };
  expect(await applyEvent(watched, event)).toEqual(repeat);
  expect(requests).toEqual([
    ['BatchGet', 2],
    ['TransactWrite', 4],
    ['BatchGet', 2],
  ]);
  const turned = Object.fromEntries(Object.entries(event).reverse()) as typeof event;
  expect(await apply(turned)).toEqual(repeat);
  expect((await historyOf(organization)).length).toBe(2);
});

test('a repeat with anything else in it is refused, and names the field', async () => {
  const organization = await withStars(0, 10);
  const event = spend(organization, 1, { reason: 'r' });
  await apply(event);
  for (const change of [{ stars: 2 }, { reason: 'other' }, { feature: 'f' }, { spender: 's' }]) {
    expect(await failure(apply({ ...event, ...change } as typeof event))).toEqual({
      code: 'event_id_reused',
      details: [{ path: 'event_id', message: expect.stringMatching(/./) }],
    });
  }
  expect((await walletOf(organization))?.pack_stars).toBe(9);
});

test('an event of an unknown organization is an error that names it', async () => {
  const nobody = { id: randomUUID() } as Organization;
  expect(await failure(apply(spend(nobody, 1)))).toEqual({
    code: 'invalid_request',
    details: [{ path: 'organization_id', message: 'is not an organization' }],
  });
});

test('what fails because the table is out of reach is not tried again here', async () => {
  const organization = await withStars(0, 10);
  const { requests, table: halfAway } = watchedTable(({ operation }, pass) => {
    if (operation !== 'TransactWrite') return pass();
    throw new Error('connect ECONNREFUSED');
  });
  const work = applyEvent(halfAway, spend(organization, 1));
  expect(await failure(work)).toMatchObject({ code: 'unavailable' });
  expect(requests.length).toBe(2);
});

test('a plan is read for a grant that the event does not tell, and for nothing else', async () => {
  const organization = await withStars(0, 0);
  const change = { type: 'subscription.changed', tier: 'none' };
  const { requests, table: watched } = watchedTable();
  await applyEvent(watched, eventOf(organization, { ...change, monthly_grant_stars: 1 }));
  expect((await applyEvent(watched, eventOf(organization, change))).refusal).toBe('unknown_plan');
  const reads = requests.filter(([operation]) => operation !== 'TransactWrite');
  // What was refused looks for its guard again.
  expect(reads).toEqual([
    ['BatchGet', 2],
    ['BatchGet', 3],
    ['Get', 1],
  ]);
});
