import * as z from 'zod/mini';
import { ApiError } from '../../errors/errors.ts';
import { maker } from '../../facts/origin.ts';
import type { Table } from '../../table/table.ts';
import { eventUpdate } from '../events/event-update.ts';
import { balance } from '../stored/balance.ts';
import { type EventRecord, eventRecordKind } from '../stored/event-record.ts';
import { type Spend, sum } from '../stored/lots.ts';
import { eventId, notAfter } from '../terms/fields.ts';
import { purposeInput, purposeOutput, toldPurpose } from '../terms/purpose.ts';
import { anyStars, someStars } from '../terms/stars.ts';
import type { UpdateContent } from '../writer/wallet-update.ts';

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

/** Asks for stars to be spent. */
export const spendUpdate = (
  organization_id: string,
  { not_after, ...content }: z.output<typeof spendInput> & { event_id: string },
): UpdateContent => eventUpdate({ type: 'stars.spent', organization_id, ...content }, not_after);

type SpendRecord = EventRecord & { spend: Spend };

/** The record, if it is of a spend or a captured hold. Throws `not_found` for anything else. */
const spendRecordOf = (record: EventRecord | undefined): SpendRecord => {
  if (!record?.spend) throw new ApiError('not_found');
  return { ...record, spend: record.spend };
};

const toldSpend = (event_id: string, { spend: { lots, ...purpose } }: SpendRecord) => ({
  event_id,
  stars: sum(lots),
  ...toldPurpose(purpose),
});

/** The spend as it was made, by its record. */
export const toSpentStars = (
  event_id: string,
  record: EventRecord,
): z.output<typeof spentStars> => ({
  ...toldSpend(event_id, spendRecordOf(record)),
  balance: record.balance,
});

/** Throws `not_found` for an id that no spend has. */
export const readSpend = async (
  table: Table<'GetItem'>,
  organizationId: string,
  eventId: string,
): Promise<z.output<typeof spend>> => {
  const record = spendRecordOf(await table.get(eventRecordKind.key({ organizationId, eventId })));
  const { refunded, user_id } = record.spend;
  return {
    ...toldSpend(eventId, record),
    refunded_stars: refunded,
    // The balance of a hold's start was there before its stars were spent.
    spent_at: (record.hold_end?.balance ?? record.balance).as_of,
    user_id: user_id ?? null,
  };
};
