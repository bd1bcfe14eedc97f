import * as z from 'zod/mini';
import { ApiError } from '../../errors/errors.ts';
import { maker } from '../../facts/origin.ts';
import type { Table } from '../../table/table.ts';
import { balance } from '../stored/balance.ts';
import { eventRecordKind } from '../stored/event-record.ts';
import { sum } from '../stored/lots.ts';
import { eventId, notAfter } from '../terms/fields.ts';
import { purposeInput, purposeOutput, toldPurpose } from '../terms/purpose.ts';
import { anyStars, someStars } from '../terms/stars.ts';

/** The body of `PUT /billing/spends/{event_id}`. */
export const spendInput = z
  .strictObject({ stars: someStars(), ...purposeInput, not_after: z.optional(notAfter()) })
  .check(z.meta({ id: 'SpendInput' }));

const fields = { event_id: eventId(), stars: someStars(), ...purposeOutput };

/** The answer: the spend as it was made, and the balance then. */
export const spentStars = z
  .strictObject({ ...fields, balance })
  .check(z.meta({ id: 'SpentStars' }));

/** A spend, or a captured hold, as the API answers it. */
export const spend = z
  .strictObject({
    ...fields,
    refunded_stars: anyStars().check(z.describe('How many of them came back since.')),
    spent_at: z.iso.datetime(),
    user_id: z
      .nullable(maker())
      .check(z.describe('Who asked for it; `platform` for the company’s own backend.')),
  })
  .check(z.meta({ id: 'Spend' }));

/** Throws `not_found` for an id that no spend has. */
export const readSpend = async (
  table: Table<'GetItem'>,
  organizationId: string,
  eventId: string,
): Promise<z.output<typeof spend>> => {
  const record = await table.get(eventRecordKind.key({ organizationId, eventId }));
  if (!record?.spend) throw new ApiError('not_found');
  const { lots, refunded, user_id, ...purpose } = record.spend;
  return {
    event_id: eventId,
    stars: sum(lots),
    ...toldPurpose(purpose),
    refunded_stars: refunded,
    // The balance of a hold's start was there before its stars were spent.
    spent_at: (record.hold_end?.balance ?? record.balance).as_of,
    user_id: user_id ?? null,
  };
};
