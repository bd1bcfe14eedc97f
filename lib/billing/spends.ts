import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { walletEventKey } from '../table/keys.ts';
import type { Item, Table } from '../table/table.ts';
import { balance, parseBalance } from './balance.ts';
import { eventId, notAfter } from './fields.ts';
import type { HoldEnd } from './holds/hold.ts';
import { purposeInput, purposeOutput, toldPurpose } from './purpose.ts';
import type { Spend } from './rules/causes.ts';
import { sum } from './rules/compartments.ts';
import { anyStars, someStars } from './stars.ts';

/** The body of `PUT /billing/spends/{event_id}`. */
export const spendInput = z
  .strictObject({ stars: someStars(), ...purposeInput, not_after: z.optional(notAfter()) })
  .check(z.meta({ id: 'SpendInput' }));

const fields = { event_id: eventId(), stars: someStars(), ...purposeOutput };

/** What it answers: the spend as it was made, and the balance then. */
export const spentStars = z
  .strictObject({ ...fields, balance })
  .check(z.meta({ id: 'SpentStars' }));

/** A spend, or a captured hold, as the API answers it. */
export const spend = z
  .strictObject({
    ...fields,
    refunded_stars: anyStars().check(z.describe('How many of them came back since.')),
    spent_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Spend' }));

/** Throws `not_found` for an id that no spend has. */
export const readSpend = async (
  table: Table<'GetItem'>,
  organizationId: string,
  eventId: string,
): Promise<z.output<typeof spend>> => {
  const guard = await table.get(walletEventKey(organizationId, eventId));
  if (!guard?.spend) throw new ApiError('not_found');
  const { lots, refunded, ...purpose } = guard.spend as Spend;
  return {
    event_id: eventId,
    stars: sum(lots),
    ...toldPurpose(purpose),
    refunded_stars: refunded,
    spent_at: parseBalance(balanceAfter(guard)).as_of,
  };
};

/** That of a hold was there before its stars were spent. */
const balanceAfter = ({ hold_end, balance }: Item) =>
  (hold_end as HoldEnd | undefined)?.balance ?? balance;
