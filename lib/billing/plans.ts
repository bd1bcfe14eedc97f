import * as z from 'zod/mini';
import { invalid } from '../errors/errors.ts';
import { text } from '../schema/fields.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import { orderFields } from '../table/field-order.ts';
import { planKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Item, Table, Write } from '../table/table.ts';
import { planTier } from './fields.ts';
import { anyStars } from './stars.ts';

/** How many plans a deployment can have at most. */
export const mostPlans = 100;

const currencies = new Set(Intl.supportedValuesOf('currency'));

const fields = {
  name: text(100),
  monthly_grant_stars: anyStars(),
  price_cents: z.int().check(z.nonnegative()),
  currency: z.string().check(
    z.refine((code) => currencies.has(code), { error: 'must be an ISO 4217 code' }),
    z.meta({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  ),
};

/** A plan without its tier. */
export const planInput = z.strictObject(fields).check(z.meta({ id: 'PlanInput' }));

/** What can be subscribed to, the same for all organizations of a deployment. */
export const plan = z.strictObject({ tier: planTier(), ...fields }).check(z.meta({ id: 'Plan' }));
export type Plan = z.output<typeof plan>;

export const toPlan = (item: Item): Plan => orderFields(plan, item);

/** Every plan, the cheapest first, those of one price by their tiers. */
export const readPlans = async (table: Table<'Query'>): Promise<Plan[]> =>
  (await readItems(table)).map(toPlan).sort((a, b) => a.price_cents - b.price_cents);

/** In the order of their tiers. */
const readItems = async (table: Table<'Query'>): Promise<Item[]> => {
  const { items } = await table.query({
    condition: 'pk = :pk',
    values: { ':pk': planKey('').pk },
    // A little above the most: two that are put at once may both have been the last.
    limit: mostPlans * 2,
    consistent: true,
  });
  return items;
};

/**
 * Writes a plan, in place of the one of its tier; tells whether there was none. It is decided once: throws
 * `write_conflict` if someone else has put the plan meanwhile, and `invalid_request` when there are as many plans as
 * there can be.
 */
export const putPlan = async (
  table: Table<'Query' | 'PutItem'>,
  one: Plan,
): Promise<{ isNew: boolean }> => {
  const items = await readItems(table);
  const before = items.find(({ tier }) => tier === one.tier);
  if (!before && items.length >= mostPlans) {
    throw invalid('tier', `must be one of at most ${mostPlans}`);
  }
  if (before && fingerprintOf(toPlan(before)) === fingerprintOf(one)) return { isNew: false };
  await table.transact([put(one, before)]);
  return { isNew: !before };
};

/** In place of what was there; refused with `ConflictError` if that is another one by now. */
const put = (one: Plan, before: Item | undefined): Write<'PutItem'> => ({
  Put: {
    Item: { ...planKey(one.tier), ...one, version: Number(before?.version ?? 0) + 1 },
    ...(before
      ? {
          ConditionExpression: 'version = :version',
          ExpressionAttributeValues: { ':version': before.version },
        }
      : { ConditionExpression: 'attribute_not_exists(pk)' }),
  },
  refused: () => new ConflictError(),
});
