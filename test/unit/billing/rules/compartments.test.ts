import { describe, expect, test } from 'vitest';
import { freeLots, type Lot, take } from '../../../../lib/billing/rules/compartments.ts';
import { emptyWallet, type Wallet } from '../../../../lib/billing/wallet.ts';

const [monthly, pack]: [Lot, Lot] = [
  { compartment: 'monthly', expires_at: 9, stars: 5 },
  { compartment: 'pack', stars: 7 },
];

describe('stars are taken', () => {
  test.each<[number, number[], number[]]>([
    [0, [], [5, 7]],
    [3, [3], [2, 7]],
    [5, [5], [7]],
    [6, [5, 1], [6]],
    [12, [5, 7], []],
  ])('%i, from the first part on', (stars, takenLots, rest) => {
    const found = take([monthly, pack], stars)!;
    expect(found.takenLots).toEqual(
      [monthly, pack].slice(0, takenLots.length).map(sized(takenLots)),
    );
    expect(found.rest).toEqual([monthly, pack].slice(2 - rest.length).map(sized(rest)));
  });

  test('all or none', () => {
    expect(take([monthly, pack], 13)).toBeUndefined();
  });
});

const sized = (stars: number[]) => (lot: Lot, i: number) => ({ ...lot, stars: stars[i] });

describe('what is free', () => {
  const wallet: Wallet = {
    ...emptyWallet,
    monthly_stars: 5,
    pack_stars: 20,
    packs: [
      { expires_at: 30, stars: 8, held: 2 },
      { expires_at: 40, stars: 3, held: 3 },
    ],
    held: { monthly: 1, pack: 5 },
  };

  test('is in the order in which it is spent, and no part of it is empty', () => {
    expect(freeLots(wallet)).toEqual([
      { compartment: 'monthly', expires_at: 0, stars: 4 },
      { compartment: 'pack', expires_at: 30, stars: 6 },
      { compartment: 'pack', stars: 9 },
    ]);
    expect(freeLots({ ...wallet, held: { monthly: 5, pack: 14 } })).toEqual([
      { compartment: 'pack', expires_at: 30, stars: 6 },
    ]);
    expect(freeLots(emptyWallet)).toEqual([]);
  });
});
