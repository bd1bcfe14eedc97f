import { describe, expect, test } from 'vitest';
import { walletKey } from '../../../lib/table/keys.ts';
import { expectSoundLedger } from '../../support/billing.ts';
import {
  apply,
  eventOf,
  failure,
  historyOf,
  spend,
  table,
  walletOf,
  withStars,
} from '../wallet.ts';
import { balanceOf, captured, held, named } from './setting.ts';

describe('what was stored before there were holds', () => {
  /** A wallet, its entry and the guard of its spend, in the shape that they had until November 2026. */
  const stored = async () => {
    const organization = await withStars(40, 25);
    const key = walletKey(organization.id);
    const event = spend(organization, 5);
    await apply(event);
    const { subscription } = (await walletOf(organization)) as never;
    const wallet = { version: 2, monthly_stars: 35, pack_stars: 25, monthly_grant_stars: 100 };
    const [guard, ...entries] = await table.getAll([
      { pk: `EVENT#${organization.id}#${event.event_id}`, sk: 'GUARD' },
      { pk: `LEDGER#${organization.id}`, sk: '000000000001' },
      { pk: `LEDGER#${organization.id}`, sk: '000000000002' },
    ]);
    const { as_of, monthly_stars, pack_stars, total_stars, monthly_grant_stars, ...rest } =
      JSON.parse(guard?.balance as string);
    const balance = {
      monthly_stars,
      pack_stars,
      total_stars,
      monthly_grant_stars,
      subscription: rest.subscription,
      as_of,
    };
    const { spend: _, ...oldGuard } = { spend: {}, ...guard, balance: JSON.stringify(balance) };
    const oldEntries = entries.map((entry) => {
      const { refunds, pack_lapsed, held_change, held_after, lost, wallet, written_at, ...old } =
        entry as never as Record<string, unknown>;
      return old;
    });
    for (const Item of [{ ...key, ...wallet, subscription }, oldGuard, ...oldEntries]) {
      await table.transact([{ Put: { Item } }]);
    }
    return { organization, event };
  };

  test('stays valid: read, repeated, spent, held and listed', async () => {
    const { organization, event } = await stored();
    expect(await balanceOf(organization)).toMatchObject({
      total_stars: 60,
      held_stars: 0,
      available_stars: 60,
      next_expiry: null,
    });
    const repeat = await apply(event);
    expect(repeat.balance).toMatchObject({ total_stars: 60, available_stars: 60, held_stars: 0 });
    expect((await apply(spend(organization, 10))).balance.total_stars).toBe(50);
    const one = named(organization);
    await held(one, 40);
    await captured(one, 1);
    const entries = await historyOf(organization);
    expectSoundLedger(entries);
    expect(entries.length).toBe(5);
    expect(entries[1]).toMatchObject({ refunds: null, pack_lapsed: 0, held_after: 0, lost: [] });
  });

  test('has no balance of a moment before entries said what expires', async () => {
    const { organization, event } = await stored();
    expect((await failure(balanceOf(organization, Date.now())))?.code).toBe('invalid_request');
    const { balance } = await apply(spend(organization, 1));
    await apply(spend(organization, 1));
    const told = Date.parse(balance.as_of);
    expect((await balanceOf(organization, told)).total_stars).toBe(59);
    expect((await failure(balanceOf(organization, told - 1)))?.code).toBe('invalid_request');
    const refund = { type: 'stars.refunded', stars: 1, refunds: event.event_id };
    expect((await apply(eventOf(organization, refund))).refused).toBe('not_a_spend');
  });
});
