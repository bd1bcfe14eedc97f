import * as z from 'zod/mini';
import { paymentKind, putPayment } from '../../billing/stored/payment.ts';
import { invalid } from '../../errors/errors.ts';
import type { Table } from '../../table/table.ts';
import { objectOf, reference, type StripeEvent } from '../event.ts';
import { type Translated, waitsFor } from '../messages.ts';

const invoicePayment = z.object({
  invoice: reference(),
  payment: z.object({ payment_intent: z.optional(z.nullable(reference())) }),
});

/** The payment by which an invoice, or a part of it, was paid. */
export interface InvoicePayment {
  invoice: string;
  payment: string;
}

/** Undefined for what was paid without a payment of Stripe's, which no refund or dispute can name. */
export const readInvoicePayment = (
  event: StripeEvent,
): { invoicePayment: InvoicePayment } | undefined => {
  const { invoice, payment } = objectOf(invoicePayment, event);
  const { payment_intent } = payment;
  return payment_intent ? { invoicePayment: { invoice, payment: payment_intent } } : undefined;
};

/**
 * Keeps what a payment was for, once its invoice is known: refunds and disputes tell the payment alone. Throws
 * `invalid_request` for the payment of something else.
 */
export const keepPayment = async (
  { invoice, payment }: InvoicePayment,
  table: Table<'GetItem' | 'PutItem'>,
): Promise<Translated> => {
  const [paid, known] = await table.getAll(
    [invoice, payment].map((one) => paymentKind.key({ payment: one })),
  );
  if (!paid) return known ? { outcome: 'kept' } : waitsFor('its invoice');
  if (known && known.event_id !== paid.event_id) {
    throw invalid('payment', 'is that of another event');
  }
  const { type, organization_id, event_id } = paid;
  if (!known) await table.transact([putPayment(payment, { type, organization_id, event_id })]);
  return { outcome: 'kept' };
};
