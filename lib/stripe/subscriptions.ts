import * as z from 'zod/mini';
import { toWallet, walletKind } from '../billing/stored/wallet.ts';
import { stripePrefix } from '../billing/terms/fields.ts';
import { uuid } from '../schema/fields.ts';
import type { Table } from '../table/table.ts';
import {
  assertOwnAccount,
  metadata,
  momentOf,
  objectOf,
  price,
  type StripeEvent,
  toIso,
  type WalletMessage,
} from './event.ts';
import { oddPrice } from './invoices/paid-lines.ts';
import { readOwner, readPlansOf } from './known.ts';
import { type Translated, toMessage, waitsFor } from './messages.ts';

const subscription = z.object({
  id: z.string(),
  status: z.string(),
  metadata: metadata(),
  items: z.object({ data: z.array(z.object({ price: z.optional(z.nullable(price())) })) }),
});

/** The status of a subscription. */
export interface SubscriptionStatus {
  subscription: string;
  /** Whose it is, by its metadata. */
  organization_id: string | undefined;
  /** Prices that count otherwise than by the units that were bought. Newer invoices don't tell that. */
  oddPrices: string[];
  messageFor: (organization_id: string) => WalletMessage;
}

/** Statuses of a subscription that has never started: nothing was paid for it. */
const neverStarted = ['incomplete', 'incomplete_expired'];

/** The status of a subscription, or that it has ended. Undefined for a subscription that has never started. */
export const readSubscription = (
  event: StripeEvent,
): { status: SubscriptionStatus } | undefined => {
  const { id, items, ...rest } = objectOf(subscription, event);
  if (neverStarted.includes(rest.status)) return undefined;
  const status = event.type === 'customer.subscription.deleted' ? 'canceled' : rest.status;
  const isEnd = status === 'canceled';
  return {
    status: {
      subscription: id,
      organization_id: rest.metadata?.organization_id,
      oddPrices: items.data.flatMap((item) => (item.price?.isOdd ? item.price.id : [])),
      messageFor: (organization_id) => ({
        type: isEnd ? 'subscription.canceled' : 'subscription.changed',
        organization_id,
        event_id: `${stripePrefix}${event.id}`,
        subscription_id: id,
        ...(!isEnd && { status }),
        occurred_at: toIso(momentOf(event.created)),
      }),
    },
  };
};

/**
 * The translation of a status: a message, once the wallet knows the subscription. A subscription of nobody of ours gives
 * nothing.
 */
export const translateStatus = async (
  { subscription, oddPrices, messageFor, ...status }: SubscriptionStatus,
  event: StripeEvent,
  table: Table<'GetItem'>,
): Promise<Translated> => {
  const organization = (await readOwner(table, subscription)) ?? status.organization_id;
  if (!organization) return { outcome: 'ignored' };
  assertOwnAccount(event);
  const odd = oddPrices.length > 0 && (await readPlansOf(table, oddPrices)).size > 0;
  if (odd) throw oddPrice('items');
  if (!(await isKnown(table, organization, subscription))) {
    return waitsFor('what is paid of its subscription');
  }
  return toMessage(messageFor(organization));
};

/** Whether a wallet knows a subscription, or can't be asked: then the message says why. */
const isKnown = async (
  table: Table<'GetItem'>,
  organization: string,
  id: string,
): Promise<boolean> => {
  const { data: organizationId } = z.safeParse(uuid(), organization);
  const stored = organizationId && (await table.get(walletKind.key({ organizationId })));
  if (!stored) return true;
  const wallet = toWallet(stored);
  return wallet.subscription?.id === id || wallet.former_subscriptions.includes(id);
};
