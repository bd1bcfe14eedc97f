import * as z from 'zod/mini';
import { absent } from '../../table/condition.ts';
import { places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Write } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import { refuseStored } from './wallet-invariant.ts';

const attributes = z.object({
  organization_id: z.string(),
  /** The purchase's. */
  event_id: z.string(),
  stars: z.number(),
  /** What was paid, in the smallest unit of its currency. */
  amount: z.optional(z.number()),
});
export type Payment = z.output<typeof attributes>;

export const paymentKind = new Kind(places.payment, {
  holds: 'the purchase that a payment was for',
  attributes,
  refuse: refuseStored,
});

/** Refused with `write_conflict` if a purchase has the payment by now. */
export const putPayment = (payment: string, purchase: Payment): Write<'PutItem'> =>
  put(paymentKind.key({ payment }), purchase, {
    condition: absent,
    refused: () => new ConflictError(),
  });
