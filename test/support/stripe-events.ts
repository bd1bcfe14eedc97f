import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import type { Stripe as Endive } from 'stripe-endive';

// Events as Stripe's own package types them: of the API version 2024-10-28, and of one after 2025-03-31, which has moved
// what invoices and subscriptions say. The objects have what their types have for each field that matters here.

export const versions = ['2024-10-28.acacia', '2026-10-28.endive'] as const;
export type Version = (typeof versions)[number];

/** A new id of Stripe's form. */
export const stripeId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

const now = () => Math.floor(Date.now() / 1000);

/** An event's own fields. */
export interface About {
  id?: string;
  created?: number;
  livemode?: boolean;
  account?: string;
  version?: Version;
}

/** Those of both packages. The older one does not know the payments of invoices yet. */
export type EventType = Stripe.Event.Type | Extract<Endive.Event['type'], 'invoice_payment.paid'>;

type AnyEvent = Pick<
  Stripe.Event,
  'id' | 'object' | 'api_version' | 'created' | 'livemode' | 'pending_webhooks' | 'request'
> & { account?: string; type: EventType; data: { object: object } };

export const stripeEvent = (
  type: EventType,
  object: object,
  { id = stripeId('evt'), created = now(), livemode = false, version, ...more }: About = {},
): AnyEvent => ({
  id,
  object: 'event',
  api_version: version ?? versions[0],
  created,
  livemode,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
  data: { object },
  ...more,
});

type Common<A, E, K extends keyof A & keyof E> = Pick<A, K> & Pick<E, K>;

type Session = Common<
  Stripe.Checkout.Session,
  Endive.Checkout.Session,
  | 'id'
  | 'object'
  | 'amount_total'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'customer'
  | 'invoice'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_intent'
  | 'payment_status'
  | 'status'
  | 'subscription'
>;

/** A Checkout of 500 stars for 10.00, that is paid. */
export const session = (given: Partial<Session> = {}): Session => ({
  id: stripeId('cs_test'),
  object: 'checkout.session',
  amount_total: 1000,
  client_reference_id: null,
  created: now(),
  currency: 'eur',
  customer: null,
  invoice: null,
  livemode: false,
  metadata: { organization_id: randomUUID(), stars: '500' },
  mode: 'payment',
  payment_intent: stripeId('pi'),
  payment_status: 'paid',
  status: 'complete',
  subscription: null,
  ...given,
});

type Refund = Common<
  Stripe.Refund,
  Endive.Refund,
  | 'id'
  | 'object'
  | 'amount'
  | 'balance_transaction'
  | 'charge'
  | 'created'
  | 'currency'
  | 'metadata'
  | 'payment_intent'
  | 'reason'
  | 'receipt_number'
  | 'source_transfer_reversal'
  | 'status'
  | 'transfer_reversal'
>;

export const refund = (payment: string | null, given: Partial<Refund> = {}): Refund => ({
  id: stripeId('re'),
  object: 'refund',
  amount: 1000,
  balance_transaction: stripeId('txn'),
  charge: stripeId('ch'),
  created: now(),
  currency: 'eur',
  metadata: {},
  payment_intent: payment,
  reason: null,
  receipt_number: null,
  source_transfer_reversal: null,
  status: 'succeeded',
  transfer_reversal: null,
  ...given,
});

type Move = Common<
  Stripe.BalanceTransaction,
  Endive.BalanceTransaction,
  'id' | 'object' | 'amount' | 'created' | 'currency' | 'fee' | 'net' | 'status' | 'type'
>;

/** What a dispute takes, below 0, or gives back. */
export const move = (amount: number, currency = 'eur'): Move => ({
  id: stripeId('txn'),
  object: 'balance_transaction',
  amount,
  created: now(),
  currency,
  fee: amount < 0 ? 2000 : 0,
  net: amount < 0 ? amount - 2000 : amount,
  status: 'pending',
  type: 'adjustment',
});

type Dispute = Common<
  Stripe.Dispute,
  Endive.Dispute,
  | 'id'
  | 'object'
  | 'amount'
  | 'charge'
  | 'created'
  | 'currency'
  | 'is_charge_refundable'
  | 'livemode'
  | 'metadata'
  | 'payment_intent'
  | 'reason'
  | 'status'
> & { balance_transactions: Move[] };

export const dispute = (payment: string | null, given: Partial<Dispute> = {}): Dispute => ({
  id: stripeId('du'),
  object: 'dispute',
  amount: 1000,
  balance_transactions: [move(-1000)],
  charge: stripeId('ch'),
  created: now(),
  currency: 'eur',
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent: payment,
  reason: 'fraudulent',
  status: 'needs_response',
  ...given,
});

/** A subscription, as its objects and its invoices tell of it. */
export interface Subscribed {
  id: string;
  metadata: Record<string, string>;
}

export const subscribed = (given: Partial<Subscribed> = {}): Subscribed => ({
  id: stripeId('sub'),
  metadata: { organization_id: randomUUID() },
  ...given,
});

/** A price that counts otherwise than by units. */
export type OddPrice = Partial<Pick<Stripe.Price, 'transform_quantity' | 'recurring'>>;

type AnyPrice = Common<
  Stripe.Price,
  Endive.Price,
  'id' | 'object' | 'active' | 'currency' | 'metadata' | 'product' | 'type' | 'unit_amount'
>;

const priceOf = (id: string, odd: OddPrice = {}): AnyPrice & OddPrice => ({
  id,
  object: 'price',
  active: true,
  currency: 'eur',
  metadata: {},
  product: stripeId('prod'),
  type: 'recurring',
  unit_amount: 2000,
  transform_quantity: null,
  ...odd,
});

/** A line of an invoice. Times are in seconds since the epoch. */
export interface Line {
  price: string;
  from: number;
  until: number;
  /** Before discounts, below 0 for a credit. */
  amount?: number;
  quantity?: number | null;
  proration?: boolean;
  /** What discounts take of the amount. Those of prorations are in the amount already. */
  discount?: number;
  odd?: OddPrice;
}

/** What both API versions tell of a line in the same way. */
const sharedLine = ({ from, until, amount = 2000, quantity = 1, proration, discount = 0 }: Line) =>
  ({
    id: stripeId('il'),
    object: 'line_item',
    amount: proration ? amount - Math.sign(amount) * discount : amount,
    currency: 'eur',
    discount_amounts: discount && !proration ? [{ amount: discount, discount: 'di_1' }] : [],
    discounts: discount ? ['di_1'] : [],
    period: { start: from, end: until },
    quantity,
  }) satisfies Partial<Stripe.InvoiceLineItem> & Partial<Endive.InvoiceLineItem>;

const proratedBy = ({ amount = 2000, proration }: Line) => ({
  credited_items:
    proration && amount < 0 ? { invoice: 'in_before', invoice_line_items: ['il_before'] } : null,
});

type Status = Stripe.Subscription.Status;
type Reason = Stripe.Invoice.BillingReason;

const acacia = {
  line: (line: Line, subscription: string | null, _reason: Reason) =>
    ({
      ...sharedLine(line),
      price: priceOf(line.price, line.odd) as Stripe.Price,
      proration: line.proration ?? false,
      proration_details: proratedBy(line),
      subscription,
      type: line.proration || !subscription ? 'invoiceitem' : 'subscription',
    }) satisfies Partial<Stripe.InvoiceLineItem>,

  invoice: (of: Subscribed | undefined, payment: string | undefined) =>
    ({
      payment_intent: payment ?? null,
      subscription: of?.id ?? null,
      subscription_details: of ? { metadata: of.metadata } : null,
    }) satisfies Partial<Stripe.Invoice>,

  subscription: ({ metadata }: Subscribed, status: Status, end: number, price: AnyPrice) =>
    ({
      status,
      metadata,
      current_period_end: end,
      items: listOf([{ price } as Stripe.SubscriptionItem]),
    }) satisfies Partial<Stripe.Subscription>,
};

const endive: Record<keyof typeof acacia, (...given: never[]) => object> = {
  line: (line: Line, subscription: string | null, reason: Reason) => {
    const proration = line.proration ?? false;
    // A first period up to an anchor is a proration of the subscription itself.
    const isItem = !subscription || (proration && reason !== 'subscription_create');
    const common = { proration, proration_details: proratedBy(line), subscription };
    return {
      ...sharedLine(line),
      parent: {
        type: isItem ? 'invoice_item_details' : 'subscription_item_details',
        invoice_item_details: isItem ? { ...common, invoice_item: stripeId('ii') } : null,
        subscription_item_details: isItem
          ? null
          : { ...common, invoice_item: null, subscription_item: stripeId('si') },
      },
      pricing: {
        type: 'price_details',
        price_details: { price: line.price, product: stripeId('prod') },
        unit_amount_decimal: null,
      },
      subscription,
    } satisfies Partial<Endive.InvoiceLineItem>;
  },

  invoice: (of: Subscribed | undefined) =>
    ({
      parent: of
        ? {
            type: 'subscription_details',
            quote_details: null,
            subscription_details: { metadata: of.metadata, subscription: of.id },
          }
        : null,
    }) satisfies Partial<Endive.Invoice>,

  subscription: ({ metadata }: Subscribed, status: Status, end: number, price: AnyPrice) =>
    ({
      status,
      metadata,
      items: listOf([{ price, current_period_end: end } as Endive.SubscriptionItem]),
    }) satisfies Partial<Endive.Subscription>,
};

function listOf<T>(data: T[], has_more = false) {
  return { object: 'list' as const, data, has_more, url: '/v1/list' };
}

const shapes = { '2024-10-28.acacia': acacia, '2026-10-28.endive': endive as typeof acacia };
const aMonth = 30 * 24 * 3600;

export interface InvoiceGiven {
  id?: string;
  reason?: Reason;
  lines: Line[];
  total?: number;
  /** Invoices of the newer version don't tell it. */
  payment?: string | undefined;
  hasMore?: boolean;
}

/** An invoice that is paid; of no subscription, of what was sold once. */
export const invoice = (
  of: Subscribed | undefined,
  version: Version,
  { id = stripeId('in'), reason = 'subscription_create', lines, hasMore, ...given }: InvoiceGiven,
) => ({
  id,
  object: 'invoice',
  billing_reason: reason,
  status: 'paid',
  total: given.total ?? 2000,
  lines: listOf(
    lines.map((line) => shapes[version].line(line, of?.id ?? null, reason)),
    hasMore,
  ),
  ...shapes[version].invoice(of, given.payment),
});

/** By which payment an invoice was paid, as newer versions tell it. */
export const invoicePayment = (invoiceId: string, payment: string) =>
  ({
    id: stripeId('inpay'),
    object: 'invoice_payment',
    amount_paid: 2000,
    currency: 'eur',
    invoice: invoiceId,
    payment: { payment_intent: payment, type: 'payment_intent' },
    status: 'paid',
  }) satisfies Partial<Endive.InvoicePayment>;

export const subscription = (
  of: Subscribed,
  version: Version,
  status: Status = 'active',
  { end = now() + aMonth, price = stripeId('price'), odd = {} as OddPrice } = {},
) => ({
  id: of.id,
  object: 'subscription',
  ...shapes[version].subscription(of, status, end, priceOf(price, odd)),
});
