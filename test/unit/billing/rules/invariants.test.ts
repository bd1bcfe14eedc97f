import { expect, test } from 'vitest';
import { assertChained, assertSum } from '../../../../lib/billing/rules/invariants.ts';
import { emptyEntry, type LedgerEntry } from '../../../../lib/billing/stored/ledger-entry.ts';
import { assertWallet, emptyWallet, type Wallet } from '../../../../lib/billing/stored/wallet.ts';
import { mostInCompartment } from '../../../../lib/billing/terms/stars.ts';

const wallet: Wallet = {
  ...emptyWallet,
  version: 2,
  monthly_stars: 5,
  pack_stars: 7,
  monthly_grant_stars: 10,
};
const entry = (fields: Partial<LedgerEntry>): LedgerEntry => ({
  ...emptyEntry,
  version: 1,
  at: '2026-01-01T00:00:00.000Z',
  type: 'pack.purchased',
  event_id: 'e',
  ...fields,
});
const first = entry({
  stars: 17,
  monthly_change: 10,
  pack_change: 7,
  monthly_after: 10,
  pack_after: 7,
});
const second = entry({
  version: 2,
  stars: 1,
  monthly_lapsed: 6,
  monthly_change: 1,
  monthly_after: 5,
  pack_after: 7,
});

const pack = (stars: number, held: number) => ({ expires_at: 1, stars, held });

test('a sound wallet and its entries are let through', () => {
  assertWallet(wallet);
  assertWallet({ ...wallet, pack_stars: mostInCompartment });
  assertChained([second, first]);
  assertChained([entry({ ...second, pack_lapsed: 2, pack_after: 5 }), first]);
  assertSum(wallet, [second, first]);
  const held = entry({ ...second, held_change: 3, held_after: 3 });
  assertSum({ ...wallet, held: { monthly: 1, pack: 2 } }, [held, first]);
  assertSum({ ...wallet, version: 0, monthly_stars: 0, pack_stars: 0 }, []);
  const spent = entry({ ...second, type: 'stars.spent', stars: -4 });
  assertSum({ ...wallet, used: { spent_stars: 4, refunded_stars: 0 } }, [spent, first]);
  expect(() => assertSum(wallet, [spent, first])).toThrow('"spent_stars":4');
});

test.each([
  ['negative', { pack_stars: -1 }, 'pack_stars is -1'],
  ['broken', { monthly_stars: 0.5 }, 'monthly_stars is 0.5'],
  ['no number', { monthly_stars: Number.NaN }, 'monthly_stars is NaN'],
  ['missing', { monthly_grant_stars: undefined as never }, 'monthly_grant_stars is undefined'],
  ['more than there can be', { pack_stars: mostInCompartment + 1 }, 'pack_stars is '],
  ['held beyond what there is', { held: { monthly: 6, pack: 0 } }, 'free_monthly_stars is -1'],
  ['held beyond what is in packs', { held: { monthly: 0, pack: 8 } }, 'free_pack_stars is -1'],
  ['in packs beyond what there is', { packs: [pack(8, 0)] }, 'free_pack_stars is -1'],
  ['owed beyond 0', { owed_stars: -1 }, 'owed_stars is -1'],
  ['owed beside free ones', { owed_stars: 1 }, '1 are owed beside 12 free ones'],
  ['held beyond their pack', { packs: [pack(1, 2)] }, 'free_stars_of_pack_0 is -1'],
])('stars that are %s are refused', (_what, fields, message) => {
  const error = { name: 'wallet_invariant', message: expect.stringContaining(message) };
  expect(() => assertWallet({ ...wallet, ...fields })).toThrow(expect.objectContaining(error));
});

test.each([
  ['a gap', [entry({ ...second, version: 3 }), first]],
  ['a star too many', [entry({ ...second, pack_after: 8 }), first]],
  ['a lapse left out', [entry({ ...second, monthly_lapsed: 0 }), first]],
  ['a pack’s lapse left out', [entry({ ...second, pack_lapsed: 1 }), first]],
  ['an owed star too many', [entry({ ...second, owed_after: 1 }), first]],
  ['a held star too many', [entry({ ...second, held_after: 1 }), first]],
])('entries with %s are refused', (_what, entries) => {
  expect(() => assertChained(entries)).toThrow('does not follow');
  expect(() => assertSum(wallet, entries)).toThrow('does not follow');
});

test.each([
  ['another balance', { ...wallet, pack_stars: 8 }, [second, first]],
  ['other monthly stars', { ...wallet, monthly_stars: 6 }, [second, first]],
  ['other held stars', { ...wallet, held: { monthly: 1, pack: 0 } }, [second, first]],
  [
    'other owed stars',
    { ...wallet, owed_stars: 1, held: { monthly: 5, pack: 7 } },
    [entry({ ...second, held_change: 12, held_after: 12 }), first],
  ],
  ['fewer entries than its version', wallet, [second]],
  ['later entries', wallet, [entry({ ...second, version: 3 }), entry({ ...first, version: 2 })]],
  ['none at all', wallet, []],
])('a wallet with %s than its entries is refused', (_what, one, entries) => {
  expect(() => assertSum(one, entries)).toThrow('the wallet is at version 2');
});

test('a wallet that can’t be is refused whatever its entries, and one that does not sum is told whole', () => {
  const negative = { ...wallet, monthly_stars: -1 };
  expect(() => assertSum(negative, [second, first])).toThrow('monthly_stars is -1');
  const held = { ...wallet, held: { monthly: 1, pack: 2 } };
  expect(() => assertSum(held, [second, first])).toThrow(
    'the wallet is at version 2 with 5 monthly and 7 pack stars, 3 of them held, 0 owed; ' +
      'its 2 entries end at version 2 with 5, 7, 0 and 0',
  );
});
