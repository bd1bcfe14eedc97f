import * as z from 'zod/mini';
import { absent } from '../../table/condition.ts';
import { places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import { ConflictError } from '../../table/retry.ts';
import type { Write } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import { refuseStored } from './wallet-invariant.ts';

const attributes = z.object({
  type: z.enum(['pack.purchased', 'subscription.paid']),
  organization_id: z.string(),
  event_id: z.string(),
});
export type Payment = z.output<typeof attributes>;

export const paymentKind = new Kind(places.payment, {
  holds: 'the event that a payment was for',
  attributes,
  refuse: refuseStored,
});

/** Refused with `write_conflict` if another event has the payment by now. */
export const putPayment = (payment: string, by: Payment): Write<'PutItem'> =>
  put(paymentKind.key({ payment }), by, {
    condition: absent,
    refused: () => new ConflictError(),
  });
