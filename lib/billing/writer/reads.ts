import { ApiError, invalid } from '../../errors/errors.ts';
import { organizationKind } from '../../organizations/organization.ts';
import type { Table } from '../../table/table.ts';
import { type Cause, reversedEventOf } from '../rules/causes.ts';
import { type EventRecord, eventRecordKind } from '../stored/event-record.ts';
import { paymentKind } from '../stored/payment.ts';
import { type Plan, planKind, toPlan } from '../stored/plan.ts';
import { subscriptionOwnerKind } from '../stored/subscription-owner.ts';
import { toWallet, type Wallet, walletKind } from '../stored/wallet.ts';
import { WalletInvariant } from '../stored/wallet-invariant.ts';
import { stripePrefix } from '../terms/fields.ts';

/** What is read beside the wallet, each by its id. */
export interface Reads {
  /** An event or a hold. */
  record: string;
  /** A tier. */
  plan?: string | undefined;
  /** The event that is named: a spend that is refunded, a purchase that is reversed. */
  target?: string | undefined;
  payment?: string | undefined;
  /** A subscription of Stripe. */
  subscription?: string | undefined;
}

/** The id of the event that a cause names: what becomes of it is written with the cause. */
const targetOf = (cause: Cause): string | undefined =>
  'refunds' in cause ? cause.refunds : reversedEventOf(cause);

export const readsOf = (cause: Cause): Reads => ({
  record: cause.event_id,
  plan: cause.type === 'subscription.paid' ? cause.tier : undefined,
  target: targetOf(cause),
  payment: 'payment' in cause ? cause.payment : undefined,
  subscription:
    'subscription_id' in cause && cause.event_id.startsWith(stripePrefix)
      ? cause.subscription_id
      : undefined,
});

/** The records and plans that were found for some reads, by their ids and tiers. */
export interface FoundBeside {
  records: ReadonlyMap<string, EventRecord>;
  plans: ReadonlyMap<string, Plan>;
  /** The payments that purchases have. */
  payments: ReadonlySet<string>;
  /** Whose subscriptions of Stripe are, as far as that is kept. */
  owners: ReadonlyMap<string, string>;
}

/** The wallet, and what was found beside it. */
export interface Found extends FoundBeside {
  wallet: Wallet | undefined;
}

/** One request to the table. */
export const readFor = async (
  table: Table<'GetItem'>,
  organizationId: string,
  reads: readonly Reads[],
): Promise<Found> => {
  const [wallet, beside] = await Promise.all([
    table.get(walletKind.key({ organizationId })),
    readBeside(table, organizationId, reads),
  ]);
  return { wallet: wallet && toWallet(wallet), ...beside };
};

/** One request to the table, for all but the wallet. */
export const readBeside = async (
  table: Table<'GetItem'>,
  organizationId: string,
  reads: readonly Reads[],
): Promise<FoundBeside> => {
  const ids = reads.flatMap(({ record, target }) =>
    target === undefined ? record : [record, target],
  );
  const tiers = reads.flatMap(({ plan }) => plan ?? []);
  const payments = reads.flatMap(({ payment }) => payment ?? []);
  const subscriptions = reads.flatMap(({ subscription }) => subscription ?? []);
  const [records, plans, purchases, owners] = await Promise.all([
    table.getAll(ids.map((eventId) => eventRecordKind.key({ organizationId, eventId }))),
    table.getAll(tiers.map((tier) => planKind.key({ tier }))),
    table.getAll(payments.map((payment) => paymentKind.key({ payment }))),
    table.getAll(subscriptions.map((subscription) => subscriptionOwnerKind.key({ subscription }))),
  ]);
  return {
    records: new Map(ids.flatMap((id, i) => (records[i] ? [[id, records[i]]] : []))),
    payments: new Set(payments.filter((_, i) => purchases[i])),
    owners: new Map(
      subscriptions.flatMap((id, i) => (owners[i] ? [[id, owners[i].organization_id]] : [])),
    ),
    plans: new Map(tiers.flatMap((tier, i) => (plans[i] ? [[tier, toPlan(plans[i])]] : []))),
  };
};

/** Why there is no wallet: there is no such organization (any more), or what is stored can't be. */
export const toMissingError = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<ApiError> =>
  (await table.get(organizationKind.key({ organizationId })))
    ? new ApiError('internal', { cause: new WalletInvariant('the organization has no wallet') })
    : invalid('organization_id', 'is not an organization');
