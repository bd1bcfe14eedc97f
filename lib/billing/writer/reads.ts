import type { Table } from '../../table/table.ts';
import type { Cause } from '../rules/causes.ts';
import { type Guard, guardKind } from '../stored/guard.ts';
import { type Plan, planKind, toPlan } from '../stored/plan.ts';
import { toWallet, type Wallet, walletKind } from '../stored/wallet.ts';

/** What is read beside the wallet, each by its id. */
export interface Reads {
  /** An event or a hold. */
  guard: string;
  /** A tier. */
  plan?: string | undefined;
  /** A spend that is refunded. */
  spend?: string | undefined;
}

export const readsOf = (cause: Cause): Reads => ({
  guard: cause.event_id,
  plan: 'tier' in cause && cause.monthly_grant_stars === undefined ? cause.tier : undefined,
  spend: cause.type === 'stars.refunded' ? cause.refunds : undefined,
});

/** The wallet, and the guards and plans that were found for some reads, by their ids and tiers. */
export interface Found {
  wallet: Wallet | undefined;
  guards: ReadonlyMap<string, Guard>;
  plans: ReadonlyMap<string, Plan>;
}

/** One request to the table. */
export const readFor = async (
  table: Table<'GetItem'>,
  organizationId: string,
  reads: readonly Reads[],
): Promise<Found> => {
  const ids = reads.flatMap(({ guard, spend }) => (spend === undefined ? guard : [guard, spend]));
  const tiers = reads.flatMap(({ plan }) => plan ?? []);
  const [wallet, guards, plans] = await Promise.all([
    table.get(walletKind.key({ organizationId })),
    table.getAll(ids.map((eventId) => guardKind.key({ organizationId, eventId }))),
    table.getAll(tiers.map((tier) => planKind.key({ tier }))),
  ]);
  return {
    wallet: wallet && toWallet(wallet),
    guards: new Map(ids.flatMap((id, i) => (guards[i] ? [[id, guards[i]]] : []))),
    plans: new Map(tiers.flatMap((tier, i) => (plans[i] ? [[tier, toPlan(plans[i])]] : []))),
  };
};
