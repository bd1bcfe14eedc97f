import { readOrganization } from '../../lib/organizations/organization.ts';
import { limitWrites } from '../../lib/organizations/request-counter.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { commitIn } from './origin.ts';

/** Gives an organization a limit of its own, in requests a second; without one, takes it away. */
export const limitOrganization = async (
  table: TableClient,
  organizationId: string,
  perSecond: number | undefined,
): Promise<void> => {
  const organization = await readOrganization(table, organizationId);
  await commitIn(table)(limitWrites(organizationId, organization, perSecond, Date.now()));
};
