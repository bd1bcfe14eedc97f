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

type AnyEvent = Pick<
  Stripe.Event,
  'id' | 'object' | 'api_version' | 'created' | 'livemode' | 'pending_webhooks' | 'request'
> & { account?: string; type: Stripe.Event.Type; data: { object: object } };

export const stripeEvent = (
  type: Stripe.Event.Type,
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
  /** Metadata of its price. */
  price: Record<string, string>;
}

export const subscribed = (given: Partial<Subscribed> = {}): Subscribed => ({
  id: stripeId('sub'),
  metadata: { organization_id: randomUUID(), tier: 'basic' },
  price: {},
  ...given,
});

type AnyPrice = Common<
  Stripe.Price,
  Endive.Price,
  'id' | 'object' | 'active' | 'currency' | 'metadata' | 'product' | 'type' | 'unit_amount'
>;

const priceOf = (metadata: Record<string, string>): AnyPrice => ({
  id: stripeId('price'),
  object: 'price',
  active: true,
  currency: 'eur',
  metadata,
  product: stripeId('prod'),
  type: 'recurring',
  unit_amount: 2000,
});

export interface Period {
  start?: number;
  end?: number;
  reason?: Stripe.Invoice.BillingReason;
  /** Ends of other lines, prorations. */
  prorations?: number[];
}

type Status = Stripe.Subscription.Status;

const acacia = {
  line: ({ id, price }: Subscribed, proration: boolean, start: number, end: number) =>
    ({
      id: stripeId('il'),
      object: 'line_item',
      period: { start, end },
      price: priceOf(price) as Stripe.Price,
      proration,
      subscription: id,
      type: proration ? 'invoiceitem' : 'subscription',
    }) satisfies Partial<Stripe.InvoiceLineItem>,

  invoice: ({ id, metadata }: Subscribed) =>
    ({
      subscription: id,
      subscription_details: { metadata },
    }) satisfies Partial<Stripe.Invoice>,

  subscription: ({ metadata, price }: Subscribed, status: Status, end: number) =>
    ({
      status,
      metadata,
      current_period_end: end,
      items: listOf([{ price: priceOf(price) } as Stripe.SubscriptionItem]),
    }) satisfies Partial<Stripe.Subscription>,
};

const endive: Record<keyof typeof acacia, (...given: never[]) => object> = {
  line: ({ id }: Subscribed, proration: boolean, start: number, end: number) =>
    ({
      id: stripeId('il'),
      object: 'line_item',
      period: { start, end },
      parent: {
        type: 'subscription_item_details',
        invoice_item_details: null,
        subscription_item_details: {
          invoice_item: null,
          proration,
          proration_details: null,
          subscription: id,
          subscription_item: stripeId('si'),
        },
      },
      pricing: {
        type: 'price_details',
        price_details: { price: stripeId('price'), product: stripeId('prod') },
        unit_amount_decimal: null,
      },
      subscription: id,
    }) satisfies Partial<Endive.InvoiceLineItem>,

  invoice: ({ id, metadata }: Subscribed) =>
    ({
      parent: {
        type: 'subscription_details',
        quote_details: null,
        subscription_details: { metadata, subscription: id },
      },
    }) satisfies Partial<Endive.Invoice>,

  subscription: ({ metadata, price }: Subscribed, status: Status, end: number) =>
    ({
      status,
      metadata,
      items: listOf([
        { price: priceOf(price), current_period_end: end } as Endive.SubscriptionItem,
      ]),
    }) satisfies Partial<Endive.Subscription>,
};

function listOf<T>(data: T[]) {
  return { object: 'list' as const, data, has_more: false, url: '/v1/list' };
}

const shapes = { '2024-10-28.acacia': acacia, '2026-10-28.endive': endive as typeof acacia };
const aMonth = 30 * 24 * 3600;

export const invoice = (
  of: Subscribed,
  version: Version,
  { start = now(), end = start + aMonth, reason, prorations = [] }: Period = {},
) => ({
  id: stripeId('in'),
  object: 'invoice',
  billing_reason: reason ?? 'subscription_create',
  status: 'paid',
  lines: listOf([
    ...prorations.map((one) => shapes[version].line(of, true, start, one)),
    shapes[version].line(of, false, start, end),
  ]),
  ...shapes[version].invoice(of),
});

export const subscription = (
  of: Subscribed,
  version: Version,
  status: Status = 'active',
  end = now() + aMonth,
) => ({ id: of.id, object: 'subscription', ...shapes[version].subscription(of, status, end) });
