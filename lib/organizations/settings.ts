import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { changedFields } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { callerRoles } from '../operations/permissions.ts';
import { currency, shortName, text } from '../schema/fields.ts';
import { applyPatch, outputShape, patchShape, required } from '../schema/resource.ts';
import { limits, limitsOf } from './limits.ts';
import { type OrganizationItem, organizationKind, updateOrganization } from './organization.ts';
import { relistOrganization } from './organization-list.ts';

/** What an organization is called, and the currency of its leads' values. */
export const organizationSettings = {
  name: required(text(200)),
  currency: required(currency(), {
    description: 'ISO 4217. `value_cents` of its leads are in the smallest unit of it.',
  }),
};

type SettingName = keyof typeof organizationSettings;
const settingNames = Object.keys(organizationSettings) as SettingName[];

/** The body of `PATCH /organization`. */
export const organizationPatch = z.strictObject(patchShape(organizationSettings)).check(
  z.meta({
    id: 'OrganizationPatch',
    description: 'A JSON merge patch (RFC 7396); no field takes `null`.',
  }),
);
export type OrganizationPatch = z.output<typeof organizationPatch>;

/** An organization as its members see it. */
export const organizationReply = z
  .strictObject({
    id: z.uuid(),
    ...outputShape(organizationSettings),
    suspended: z.boolean().check(z.describe('Then only platform keys see it.')),
    role: z.enum(callerRoles).check(z.describe('The caller’s.')),
    spender: z
      .optional(shortName())
      .check(z.describe('In whose name alone the caller spends, if its API key was made so.')),
    limits,
  })
  .check(z.meta({ id: 'Organization' }));
type OrganizationReply = z.output<typeof organizationReply>;

export const toOrganization = (
  item: OrganizationItem,
  { role, spender }: Pick<OrganizationReply, 'role' | 'spender'>,
): OrganizationReply => ({
  id: organizationKind.idsOf(item).organizationId,
  name: item.name,
  currency: item.currency,
  suspended: item.suspended_at !== undefined,
  role,
  ...(spender !== undefined && { spender }),
  limits: limitsOf(item),
});

/**
 * Gives an organization another name or currency; writes nothing if it has both already. `hasValues` tells whether a lead has
 * a value: no lead names a currency, so a first value of the same moment is in the new currency. Throws
 * `currency_in_use`; refused with `ConflictError` if it is another currency by now.
 */
export const settingsWrites = async (
  before: OrganizationItem,
  patch: Partial<OrganizationPatch>,
  now: number,
  hasValues: () => Promise<boolean>,
): Promise<{
  after: OrganizationItem;
  writes: WriteOrFact<'PutItem' | 'UpdateItem' | 'DeleteItem'>[];
}> => {
  const after: OrganizationItem = applyPatch(before, patch);
  const changed = changedFields(before, after, settingNames);
  if (changed.length === 0) return { after, writes: [] };
  const isOtherCurrency = changed.includes('currency');
  if (isOtherCurrency && (await hasValues())) throw new ApiError('currency_in_use');
  const since = isOtherCurrency && { currency_since: new Date(now).toISOString() };
  const { organizationId } = organizationKind.idsOf(before);
  const { name, currency } = after;
  const set = { name, currency } satisfies Record<SettingName, string>;
  return {
    after,
    writes: [
      ...updateOrganization(before, { ...set, ...since }, { changed, now }),
      ...(name === before.name ? [] : relistOrganization(organizationId, after, before.name)),
    ],
  };
};
