import { type Plan, planKind, priceKind, toPlan } from '../billing/stored/plan.ts';
import { subscriptionOwnerKind } from '../billing/stored/subscription-owner.ts';
import type { Table } from '../table/table.ts';

// Facts about Stripe's subscriptions and prices.

/** The organization that a subscription belongs to, once that is known. */
export const readOwner = async (
  table: Table<'GetItem'>,
  subscription: string | undefined,
): Promise<string | undefined> => {
  if (subscription === undefined) return undefined;
  const owner = await table.get(subscriptionOwnerKind.key({ subscription }));
  return owner?.organization_id;
};

/** The plans that some prices sell, by their prices. */
export const readPlansOf = async (
  table: Table<'GetItem'>,
  prices: readonly string[],
): Promise<ReadonlyMap<string, Plan>> => {
  const all = [...new Set(prices)];
  const sold = await table.getAll(all.map((price) => priceKind.key({ price })));
  const tiers = [...new Set(sold.flatMap((one) => one?.tier ?? []))];
  const plans = await table.getAll(tiers.map((tier) => planKind.key({ tier })));
  const byTier = new Map(plans.flatMap((one) => (one ? [[one.tier, toPlan(one)]] : [])));
  return new Map(
    all.flatMap((price, i) => {
      const plan = byTier.get(sold[i]?.tier ?? '');
      return plan ? [[price, plan]] : [];
    }),
  );
};
