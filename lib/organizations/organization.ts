import * as z from 'zod/mini';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Table } from '../table/table.ts';

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
  attributes: z.object({
    ...counts,
    name: z.string(),
    created_at: z.iso.datetime(),
    /** Of the request that made it, and what was answered. */
    fingerprint: z.string(),
    reply: z.string(),
  }),
});

/** The organization of a caller whom admission let in. */
export const readOrganization = async (table: Table<'GetItem'>, organizationId: string) => {
  const organization = await table.get(organizationKind.key({ organizationId }));
  if (!organization) throw new Error(`there is no organization ${organizationId}`);
  return organization;
};
