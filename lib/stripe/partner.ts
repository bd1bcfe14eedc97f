import * as z from 'zod/mini';
import type { walletEvent } from '../billing/rules/wallet-events.ts';
import { invalid } from '../errors/errors.ts';
import type { Partner } from '../operations/kinds/background.ts';
import { parseInput } from '../schema/issues.ts';
import type { Table } from '../table/table.ts';
import { assertOwnAccount, type StripeEvent, stripeEvent } from './event.ts';
import { keepPayment } from './invoices/invoice-payments.ts';
import { translateInvoice } from './invoices/paid-invoices.ts';
import { type Translated, toMessage } from './messages.ts';
import { type Meaning, readEvent, stripeEventTypes } from './read-event.ts';
import { translateReversal } from './reversals.ts';
import { translateStatus } from './subscriptions.ts';

/** Advice to people whose Stripe sends thin events. */
export const adviceOnThin =
  'in Stripe, make the destination anew with the payload style “Snapshot”';

// docs/decisions/stripe.md
/** Stripe's events, as events of billing. */
export const stripe: Partner<typeof walletEvent> = {
  sourcePrefix: 'aws.partner/stripe.com/',
  types: stripeEventTypes,
  unreadablePrefix: 'v1.',
  adviceOnUnreadable: `If the log says nothing of them, they are thin events: ${adviceOnThin}.`,

  async translate(input, table) {
    if (isThin(input)) throw invalid('type', `is that of a thin event: ${adviceOnThin}`);
    const event = parseInput(stripeEvent, input);
    assertMode(event);
    const meaning = readEvent(event);
    return meaning ? translateMeaning(meaning, event, table) : { outcome: 'ignored' };
  },
};

/** The translation of an event, by what the table knows. */
const translateMeaning = (
  meaning: Meaning,
  event: StripeEvent,
  table: Table<'GetItem' | 'PutItem'>,
): Promise<Translated> | Translated => {
  if ('invoice' in meaning) return translateInvoice(meaning.invoice, event, table);
  if ('status' in meaning) return translateStatus(meaning.status, event, table);
  if ('message' in meaning) {
    assertOwnAccount(event);
    return toMessage(meaning.message);
  }
  // A payment to a connected account has bought no stars.
  if (event.account) return { outcome: 'ignored' };
  return 'invoicePayment' in meaning
    ? keepPayment(meaning.invoicePayment, table)
    : translateReversal(meaning, table);
};

const thinEvent = z.object({ type: z.string().check(z.regex(/^v\d+\./)) });

/** Whether an event is a thin event, which has no object. */
export const isThin = (event: unknown): boolean => z.safeParse(thinEvent, event).success;

/** Refuses test payments where real payments are wanted, and real payments where test payments are. */
const assertMode = ({ livemode }: StripeEvent): void => {
  const wanted = process.env.STRIPE_LIVEMODE;
  if (String(livemode) === wanted) return;
  throw invalid('livemode', wanted ? `must be ${wanted} here` : 'has no setting here');
};
