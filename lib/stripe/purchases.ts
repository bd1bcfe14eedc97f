import * as z from 'zod/mini';
import { stripePrefix } from '../billing/terms/fields.ts';
import {
  metadata,
  missing,
  objectOf,
  reference,
  type StripeEvent,
  type WholeMeaning,
} from './event.ts';

const session = z.object({
  id: z.string(),
  mode: z.string(),
  payment_status: z.string(),
  payment_intent: z.optional(z.nullable(reference())),
  /** The amount that was paid, in the currency's smallest unit. */
  amount_total: z.optional(z.nullable(z.int())),
  metadata: metadata(),
});

/** A payment that takes days is `unpaid` when its Checkout is completed. */
const paid = ['paid', 'no_payment_required'];

/**
 * A pack that a Checkout has sold; undefined where it sold something else, or is not paid yet. Each event of the Checkout
 * says the same of it. Throws `invalid_request` if metadata of ours is there in part.
 */
export const readPurchase = (event: StripeEvent): WholeMeaning | undefined => {
  const { id, mode, payment_status, payment_intent, amount_total, ...rest } = objectOf(
    session,
    event,
  );
  if (mode !== 'payment' || !paid.includes(payment_status)) return undefined;
  const { organization_id, stars } = rest.metadata ?? {};
  if (!organization_id && !stars) return undefined;
  if (!organization_id) throw missing('organization_id');
  if (!stars) throw missing('stars');
  return {
    message: {
      type: 'pack.purchased',
      organization_id,
      event_id: `${stripePrefix}${id}`,
      // A text that is no number stays a text, which the event's schema refuses.
      stars: /^\d+$/.test(stars) ? Number(stars) : stars,
      ...(payment_intent && { payment: payment_intent }),
      ...(payment_intent && amount_total && { amount: amount_total }),
    },
  };
};
