import type { Table } from '../../table/table.ts';
import type { Cause } from '../rules/causes.ts';
import { type Guard, guardKind } from '../stored/guard.ts';
import { paymentKind } from '../stored/payment.ts';
import { type Plan, planKind, toPlan } from '../stored/plan.ts';
import { toWallet, type Wallet, walletKind } from '../stored/wallet.ts';

/** What is read beside the wallet, each by its id. */
export interface Reads {
  /** An event or a hold. */
  guard: string;
  /** A tier. */
  plan?: string | undefined;
  /** The event that is named: a spend that is refunded, a purchase that is reversed. */
  target?: string | undefined;
  payment?: string | undefined;
}

/** The id of the event that a cause names: what becomes of it is written with the cause. */
const targetOf = (cause: Cause): string | undefined =>
  'refunds' in cause ? cause.refunds : 'purchase' in cause ? cause.purchase : undefined;

export const readsOf = (cause: Cause): Reads => ({
  guard: cause.event_id,
  plan: 'tier' in cause && cause.monthly_grant_stars === undefined ? cause.tier : undefined,
  target: targetOf(cause),
  payment: cause.type === 'pack.purchased' ? cause.payment : undefined,
});

/** The wallet, and the guards and plans that were found for some reads, by their ids and tiers. */
export interface Found {
  wallet: Wallet | undefined;
  guards: ReadonlyMap<string, Guard>;
  plans: ReadonlyMap<string, Plan>;
  /** The payments that purchases have. */
  payments: ReadonlySet<string>;
}

/** One request to the table. */
export const readFor = async (
  table: Table<'GetItem'>,
  organizationId: string,
  reads: readonly Reads[],
): Promise<Found> => {
  const ids = reads.flatMap(({ guard, target }) =>
    target === undefined ? guard : [guard, target],
  );
  const tiers = reads.flatMap(({ plan }) => plan ?? []);
  const payments = reads.flatMap(({ payment }) => payment ?? []);
  const [wallet, guards, plans, purchases] = await Promise.all([
    table.get(walletKind.key({ organizationId })),
    table.getAll(ids.map((eventId) => guardKind.key({ organizationId, eventId }))),
    table.getAll(tiers.map((tier) => planKind.key({ tier }))),
    table.getAll(payments.map((payment) => paymentKind.key({ payment }))),
  ]);
  return {
    wallet: wallet && toWallet(wallet),
    guards: new Map(ids.flatMap((id, i) => (guards[i] ? [[id, guards[i]]] : []))),
    payments: new Set(payments.filter((_, i) => purchases[i])),
    plans: new Map(tiers.flatMap((tier, i) => (plans[i] ? [[tier, toPlan(plans[i])]] : []))),
  };
};
