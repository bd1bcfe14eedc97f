import * as z from 'zod/mini';
import { type Fact, FactKind } from '../facts/fact.ts';
import { settingFact } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { compare } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemOf, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { update } from '../table/write.ts';

/**
 * The counts are on the organization's own item. The transactions that add and remove also change them, so the
 * limits hold however many requests race.
 */
const counts = {
  pipelines: z.int(),
  members: z.int(),
  owners: z.int(),
  webhooks: z.int(),
  /** API keys that are not revoked. */
  api_keys: z.int(),
};
export type Counts = z.output<z.ZodMiniObject<typeof counts>>;

export const organizationKind = new Kind(places.organization, {
  holds: 'the organization; how many it has of what is limited',
  hasFacts: true,
  attributes: z.object({
    ...counts,
    /** How many facts there are of it: counts and requests are none. */
    facts: z.int(),
    name: z.string(),
    /** The currency of its leads' values. */
    currency: z.string(),
    /** When the currency changed last. */
    currency_since: z.optional(z.iso.datetime()),
    created_at: z.iso.datetime(),
    /** Absent where it is not suspended. */
    suspended_at: z.optional(z.iso.datetime()),
    /** The fingerprint of the request that made it, and the answer. */
    fingerprint: z.string(),
    reply: z.string(),
  }),
});
export type OrganizationItem = ItemOf<typeof organizationKind>;

/** The organization of a caller whom admission let in. */
export const readOrganization = async (table: Table<'GetItem'>, organizationId: string) => {
  const organization = await table.get(organizationKind.key({ organizationId }));
  if (!organization) throw new Error(`there is no organization ${organizationId}`);
  return organization;
};

export const organizationTypes = [
  'organization.created',
  'organization.updated',
  'organization.suspended',
  'organization.resumed',
  'organization.erased',
] as const;

export const organizationFactKind = new FactKind(places.organizationFact, {
  holds: 'what happened to the organization’s own settings',
  thing: places.organization,
  attributes: z.object({ ...settingFact, type: z.enum(organizationTypes) }),
});

interface OrganizationChange {
  /** `organization.updated` unless told; of the first fact `organization.created`. */
  type?: Exclude<(typeof organizationTypes)[number], 'organization.created'>;
  changed: string[];
  /** Milliseconds since the epoch. */
  now: number;
}

/** What happened to the organization itself: as its fact of this number. */
export const organizationFact = (
  organizationId: string,
  version: number,
  {
    type = version === 1 ? 'organization.created' : 'organization.updated',
    changed,
    now,
  }: Omit<OrganizationChange, 'type'> & { type?: (typeof organizationTypes)[number] },
): Fact =>
  organizationFactKind.fact(
    { organizationId },
    {
      type,
      version,
      at: new Date(now).toISOString(),
      changed,
    },
  );

/**
 * Changes settings of the organization, and tells of that: also of a setting that lies in another item. Refused with
 * `ConflictError` if something else has happened to it since it was read.
 */
export const updateOrganization = (
  before: OrganizationItem,
  set: Partial<Pick<OrganizationItem, 'name' | 'currency' | 'currency_since' | 'suspended_at'>>,
  change: OrganizationChange,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  const { organizationId } = organizationKind.idsOf(before);
  const facts = before.facts + 1;
  return [
    update(
      organizationKind.key({ organizationId }),
      { set: { ...set, facts } },
      { condition: compare('facts', '=', before.facts), refused: () => new ConflictError() },
    ),
    organizationFact(organizationId, facts, change),
  ];
};
