import { expect, test } from 'vitest';
import { toHold } from '../../../../lib/billing/holds/hold.ts';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import type { EventRecord } from '../../../../lib/billing/stored/event-record.ts';
import { emptyWallet } from '../../../../lib/billing/stored/wallet.ts';

const end = Date.parse('2026-05-01T10:00:00.000Z');

const balance = toBalance(emptyWallet, end - 60_000);

/** The record of a hold that expires then. */
const record = (fields: Partial<EventRecord> = {}): EventRecord => ({
  version: 1,
  fingerprint: '',
  hold: { expires_at: end, lots: [{ compartment: 'pack', stars: 3 }] },
  balance,
  ...fields,
});
const statusAt = (time: number, fields: Partial<EventRecord> = {}) =>
  toHold('h', record(fields), time).status;

test('a hold is told as open until the millisecond before it expires, and as expired from then on', () => {
  expect([statusAt(end - 1), statusAt(end)]).toEqual(['open', 'expired']);
});

test('an extended hold is told so by its latest expiry', () => {
  const extended = { extended_to: end + 5 };
  expect([end, end + 4, end + 5].map((time) => statusAt(time, extended))).toEqual([
    'open',
    'open',
    'expired',
  ]);
  expect(toHold('h', record(extended), end).expires_at).toBe('2026-05-01T10:00:00.005Z');
});

test('a hold that was captured or released is told as that for ever', () => {
  for (const [type, status] of [
    ['hold.captured', 'captured'],
    ['hold.released', 'released'],
  ] as const) {
    const ended = { hold_end: { type, asked: 2, stars: 2, balance } };
    expect([statusAt(end - 1, ended), statusAt(end, ended)]).toEqual([status, status]);
  }
});
