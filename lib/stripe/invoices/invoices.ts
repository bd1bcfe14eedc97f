import * as z from 'zod/mini';
import { metadata, objectOf, price, reference, type StripeEvent, seconds } from '../event.ts';

const optional = <S extends z.core.$ZodType>(schema: S) => z.optional(z.nullable(schema));

const ofSubscription = z.object({ metadata: metadata(), subscription: optional(reference()) });

const ofProration = optional(z.object({ credited_items: optional(z.unknown()) }));
const ofItem = optional(
  z.object({
    proration: z.optional(z.boolean()),
    proration_details: ofProration,
    subscription: optional(reference()),
  }),
);

// API versions since 2025-03-31 say in `parent` and `pricing` what those before say in the object itself.
const storedLine = z
  .object({
    /** The amount before discounts; after them for prorations that don't itemize discounts. */
    amount: z.int(),
    period: z.object({ start: seconds(), end: seconds() }),
    quantity: optional(z.number()),
    quantity_decimal: optional(z.union([z.string(), z.number()])),
    discounts: optional(z.array(z.unknown())),
    discount_amounts: optional(z.array(z.object({ amount: z.int() }))),
    subscription: optional(reference()),
    price: optional(price()),
    proration: z.optional(z.boolean()),
    proration_details: ofProration,
    pricing: optional(z.object({ price_details: optional(z.object({ price: price() })) })),
    parent: optional(z.object({ subscription_item_details: ofItem, invoice_item_details: ofItem })),
  })
  .check(
    z.refine(({ price, pricing }) => price !== undefined || pricing !== undefined, {
      path: ['pricing'],
      error: 'is required',
    }),
  );

const invoice = z.object({
  id: z.string(),
  billing_reason: optional(z.string()),
  /** The amount that was to be paid, in the smallest unit, with taxes and with what the credit balance pays. */
  total: z.optional(z.int()),
  payment_intent: optional(reference()),
  subscription: optional(reference()),
  subscription_details: optional(ofSubscription),
  parent: optional(z.object({ subscription_details: optional(ofSubscription) })),
  lines: z.object({ data: z.array(storedLine), has_more: z.optional(z.boolean()) }),
});

/** A line of an invoice, whichever API version tells it. */
export interface InvoiceLine {
  price: string | undefined;
  /** Whether the price counts otherwise than by the units that were bought. */
  isOddPrice: boolean;
  /** Undefined where the line tells none. */
  quantity: number | undefined;
  amount: number;
  /** In seconds since the epoch. */
  period: { start: number; end: number };
  /** Undefined where the line does not tell. */
  proration: boolean | undefined;
  /** Whether the line gives back what another line has charged. */
  isCredit: boolean;
  /** Whether the amount is what discounts leave. That of a whole line is the amount before them. */
  isDiscounted: boolean;
}

/** An invoice that was paid. */
export interface Invoice {
  id: string;
  subscription: string | undefined;
  /** Whose its subscription is, by its metadata. */
  organization_id: string | undefined;
  lines: InvoiceLine[];
  /** Whether there are lines that the event leaves out. */
  hasMore: boolean;
  /** Whether this invoice is the first of its subscription. */
  isFirst: boolean;
  /** The payment, where the invoice tells it. */
  payment: string | undefined;
  total: number | undefined;
}

const firstReasons = ['subscription_create', 'quote_accept'];

/** An invoice as it was paid, of a subscription or of anything else. Throws `invalid_request` for an unknown shape. */
export const readInvoice = (event: StripeEvent): { invoice: Invoice } => {
  const { id, billing_reason, total, payment_intent, parent, lines, ...rest } = objectOf(
    invoice,
    event,
  );
  const details = parent?.subscription_details ?? rest.subscription_details;
  const ofLine = lines.data.map((one) => one.subscription ?? itemOf(one)?.subscription);
  return {
    invoice: {
      id,
      subscription:
        details?.subscription ?? rest.subscription ?? ofLine.find((one) => one) ?? undefined,
      organization_id: details?.metadata?.organization_id,
      lines: lines.data.map(toLine),
      hasMore: lines.has_more ?? false,
      isFirst: firstReasons.includes(billing_reason ?? ''),
      payment: payment_intent ?? undefined,
      total,
    },
  };
};

type StoredLine = z.output<typeof storedLine>;

const itemOf = ({ parent }: StoredLine) =>
  parent?.subscription_item_details ?? parent?.invoice_item_details;

const toLine = (line: StoredLine): InvoiceLine => {
  const { amount, period, quantity, quantity_decimal } = line;
  const item = itemOf(line);
  const price = line.pricing?.price_details?.price ?? line.price;
  const proration = line.proration ?? item?.proration;
  const { credited_items } = line.proration_details ?? item?.proration_details ?? {};
  const isDiscounted = proration === true && hasDiscounts(line);
  return {
    price: price?.id,
    isOddPrice: price?.isOdd ?? false,
    quantity: numberOf(quantity_decimal ?? quantity),
    amount,
    period,
    proration,
    isCredit: amount < 0 || (amount === 0 && isDiscounted && Boolean(credited_items)),
    isDiscounted,
  };
};

/** The units of a line; 1 for a line without units. */
const numberOf = (quantity: string | number | null | undefined): number | undefined =>
  quantity === undefined ? undefined : quantity === null ? 1 : Number(quantity);

/** The discounts of prorations are in their amounts, and may be told as 0. */
const hasDiscounts = ({ discounts, discount_amounts }: StoredLine): boolean =>
  [...(discounts ?? []), ...(discount_amounts ?? [])].length > 0;
