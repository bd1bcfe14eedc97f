import { invalid } from '../errors/errors.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import { absent, atVersion } from '../table/condition.ts';
import type { ItemOf } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table, Write } from '../table/table.ts';
import { put, remove } from '../table/write.ts';
import { type Plan, planKind, priceKind, toPlan } from './stored/plan.ts';

/** How many plans a deployment can have at most. */
export const mostPlans = 100;

/** Every plan, the cheapest first, plans of the same price by their tiers. */
export const readPlans = async (table: Table<'Query'>): Promise<Plan[]> =>
  (await readStored(table)).map(toPlan).sort((a, b) => a.price_cents - b.price_cents);

/** The stored plans, in the order of their tiers. */
const readStored = async (table: Table<'Query'>): Promise<ItemOf<typeof planKind>[]> => {
  const { items } = await table.query({
    kind: planKind,
    condition: 'pk = :pk',
    values: { ':pk': planKind.partition({}) },
    // A little above the most: two that are put at once may both have been the last.
    limit: mostPlans * 2,
    consistent: true,
  });
  return items;
};

/**
 * Writes a plan, in place of the one of its tier; tells whether there was none. It is decided once: throws
 * `write_conflict` if someone else has put the plan meanwhile, and `invalid_request` when there are as many plans as
 * there can be, or for a price of another plan.
 */
export const putPlan = async (
  table: Table<'Query' | 'PutItem' | 'DeleteItem'>,
  one: Plan,
): Promise<{ isNew: boolean }> => {
  const all = await readStored(table);
  const before = all.find(({ tier }) => tier === one.tier);
  if (!before && all.length >= mostPlans) {
    throw invalid('tier', `must be one of at most ${mostPlans}`);
  }
  if (before && fingerprintOf(toPlan(before)) === fingerprintOf(one)) return { isNew: false };
  const { version } = before ?? { version: 0 };
  const condition = before ? atVersion(version) : absent;
  const refused = () => new ConflictError();
  const attributes = { ...one, version: version + 1 };
  await table.transact([
    put(planKind.key({ tier: one.tier }), attributes, { condition, refused }),
    ...priceWrites(one, before?.stripe_prices ?? []),
  ]);
  return { isNew: !before };
};

/** Gives a plan its prices, and frees those that it had. Each price is of one plan. */
const priceWrites = (
  { tier, stripe_prices }: Plan,
  before: readonly string[],
): Write<'PutItem' | 'DeleteItem'>[] => [
  ...stripe_prices
    .filter((price) => !before.includes(price))
    .map((price) =>
      put(
        priceKind.key({ price }),
        { tier },
        {
          condition: absent,
          refused: () => invalid('stripe_prices', `${price} is that of another plan`),
        },
      ),
    ),
  ...before
    .filter((price) => !stripe_prices.includes(price))
    .map((price) => remove(priceKind.key({ price }))),
];
