import * as z from 'zod/mini';
import { type Payment, paymentKind } from '../billing/stored/payment.ts';
import { stripePrefix } from '../billing/terms/fields.ts';
import type { Table } from '../table/table.ts';
import {
  momentOf,
  objectOf,
  reference,
  type StripeEvent,
  seconds,
  toIso,
  type WalletMessage,
} from './event.ts';
import { type Translated, toMessage, waitsFor } from './messages.ts';

/** An event's meaning for a payment, whatever that payment was for. */
export interface OfPayment {
  payment: string;
  messageFor: (paid: Payment) => WalletMessage;
}

const ofPayment = {
  id: z.string(),
  amount: z.int().check(z.nonnegative()),
  payment_intent: z.optional(z.nullable(reference())),
};

const refund = z.object({ ...ofPayment, status: z.optional(z.nullable(z.string())) });

const dispute = z.object({
  ...ofPayment,
  currency: z.string(),
  /** Money that the dispute has taken from the account, below 0, and given back, in the account's own currency. */
  balance_transactions: z.optional(
    z.nullable(z.array(z.object({ amount: z.int(), currency: z.string(), created: seconds() }))),
  ),
});

/** Refunds that give the customer no money. They come after any other state of the refund. */
const endedInVain = ['failed', 'canceled'];

/** The amount that a refund has paid back by now, or is about to. Refunds without a payment belong to no Checkout. */
export const readRefund = (event: StripeEvent): OfPayment | undefined => {
  const { id, amount, status, payment_intent } = objectOf(refund, event);
  const isInVain = endedInVain.includes(status ?? '');
  return reversalOf(event, payment_intent, {
    source: id,
    amount: isInVain ? 0 : amount,
    rank: isInVain ? 1 : 0,
  });
};

/**
 * The amount that a dispute has taken by now: nothing while it is an inquiry, which moves no money; nothing once it is
 * won. The customer's bank takes back also what was paid for stars that are spent.
 */
export const readDispute = (event: StripeEvent): OfPayment | undefined => {
  const { id, amount, currency, payment_intent, ...rest } = objectOf(dispute, event);
  const moves = rest.balance_transactions ?? [];
  const isReinstated = event.type === 'charge.dispute.funds_reinstated';
  // In the charge's currency, a part may have come back. In another currency, the amount depends on the day's rate.
  const isExact =
    moves.some(({ amount: moved }) => (isReinstated ? moved > 0 : moved < 0)) &&
    moves.every((one) => one.currency === currency);
  const taken = -moves.reduce((sum, one) => sum + one.amount, 0);
  return reversalOf(event, payment_intent, {
    source: id,
    amount: isExact ? Math.min(Math.max(taken, 0), amount) : isReinstated ? 0 : amount,
    // The rank rises each time that money moves.
    rank: Math.max(moves.length, isReinstated ? 2 : 1),
    claw_back: true,
  });
};

interface PaymentReversal {
  /** The refund's or dispute's id. */
  source: string;
  /** The part of the payment that the refund or dispute has taken by now. */
  amount: number;
  rank: number;
  claw_back?: true;
}

const reversalOf = (
  { id, created }: StripeEvent,
  payment: string | null | undefined,
  { source, amount, rank, ...more }: PaymentReversal,
): OfPayment | undefined =>
  payment
    ? {
        payment,
        messageFor: ({ type, organization_id, event_id: paid }) => ({
          ...(type === 'pack.purchased'
            ? { type: 'pack.reversed', purchase: paid }
            : { type: 'subscription.reversed', paid }),
          organization_id,
          event_id: `${stripePrefix}${id}`,
          source: `${stripePrefix}${source}`,
          amount,
          occurred_at: toIso(momentOf(created, rank)),
          ...more,
        }),
      }
    : undefined;

/** The translation of a refund or dispute, once it is known what its payment was for. */
export const translateReversal = async (
  { payment, messageFor }: OfPayment,
  table: Table<'GetItem'>,
): Promise<Translated> => {
  const paid = await table.get(paymentKind.key({ payment }));
  return paid ? toMessage(messageFor(paid)) : waitsFor('what its payment was for');
};
