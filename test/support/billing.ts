import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import type { Balance } from '../../lib/billing/stored/balance.ts';
import type { LedgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import type { Purchase } from '../../lib/billing/stored/purchase.ts';
import type { Answer } from './api.ts';
import type { Organization } from './organization.ts';

export const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** A wallet to provision, with a period that runs for an hour. */
export const openingWallet = (monthly_stars: number, pack_stars: number, fields: object = {}) => ({
  wallet: {
    pack_stars,
    subscription: {
      tier: 'pro',
      status: 'active',
      monthly_grant_stars: 100,
      monthly_stars,
      current_period_end: inAnHour(),
      ...fields,
    },
  },
});

export const balanceOf = async (organization: Organization): Promise<Balance> =>
  (await organization.get('/billing/balance')).body;

/** Spends stars, under an id of its own unless told. */
export const spend = (
  organization: Organization,
  stars: number,
  { event_id = randomUUID(), ...fields }: { event_id?: string; [field: string]: unknown } = {},
): Promise<Answer> => organization.put(`/billing/spends/${event_id}`, { stars, ...fields });

/** Applies an event with the platform key, or another one; under an id of its own unless told. */
export const putEvent = (
  organization: Organization,
  { event_id = randomUUID(), ...event }: { event_id?: string; [field: string]: unknown },
  key = inject('service').platformKey,
): Promise<Answer> =>
  organization.put(`/billing/events/${event_id}`, event, {
    headers: { authorization: `Bearer ${key}` },
  });

export const hold = (
  organization: Organization,
  holdId: string,
  stars: number,
  fields: object = {},
): Promise<Answer> =>
  organization.put(`/billing/holds/${holdId}`, { stars, expires_in_seconds: 600, ...fields });

export const capture = (
  organization: Organization,
  holdId: string,
  stars?: number,
): Promise<Answer> => organization.post(`/billing/holds/${holdId}/capture`, { stars });

export const release = (organization: Organization, holdId: string): Promise<Answer> =>
  organization.post(`/billing/holds/${holdId}/release`, undefined);

/** The whole history, oldest first. */
export const historyOf = async (organization: Organization): Promise<LedgerEntry[]> => {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await organization.get(
      `/billing/history?limit=200${cursor && `&cursor=${cursor}`}`,
    );
    entries.push(...page.body.items);
    cursor = page.body.next_cursor;
  }
  return entries.reverse();
};

/** How many stars of a purchase its refunds and disputes reverse, and how many of these are forgiven. */
export const reversalOf = ({ stars, amount: paid, sources, due_stars }: Purchase) => {
  const told = sources.reduce((sum, source) => sum + (source.stars ?? 0), 0);
  const money = sources.reduce((sum, { amount = 0 }) => sum + amount, 0);
  const ofMoney = paid ? Math.floor((stars * money) / paid) : 0;
  const reversed = Math.min(stars, told + ofMoney);
  return { reversed, forgiven: reversed - due_stars };
};

/** Whether an entry gives monthly stars alone. */
const isOfMonths = ({ type }: LedgerEntry): boolean =>
  type === 'subscription.paid' || type === 'stars.granted';

/** What every ledger owes, whatever happened: entries that chain from nothing, none of them below 0. */
export const expectSoundLedger = (entries: readonly LedgerEntry[]): void => {
  let [monthly, pack, held, owed, at] = [0, 0, 0, 0, ''];
  entries.forEach((entry, i) => {
    assert.equal(entry.version, i + 1);
    assert.ok(entry.at >= at);
    at = entry.at;
    monthly += entry.monthly_change - entry.monthly_lapsed;
    pack += entry.pack_change - entry.pack_lapsed;
    held += entry.held_change;
    owed += entry.owed_change;
    const after = [entry.monthly_after, entry.pack_after, entry.held_after, entry.owed_after];
    assert.deepEqual(after, [monthly, pack, held, owed]);
    assert.equal(entry.stars, entry.monthly_change + entry.pack_change - entry.owed_change);
    if (owed > 0) assert.equal(monthly + pack - held, 0);
    assert.ok(
      [...after, monthly + pack - held, entry.monthly_lapsed, entry.pack_lapsed].every(
        (n) => n >= 0,
      ),
    );
    // Of pack stars, those that pay what is owed are fewer.
    if (isOfMonths(entry)) assert.ok(entry.pack_change <= 0);
  });
  // All that happens to a hold has its id.
  const ids = entries
    .filter(({ type }) => !type.startsWith('hold.'))
    .flatMap(({ event_id }) => event_id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
};
