import { readOrganization } from '../../lib/organizations/organization.ts';
import {
  addToCounter,
  limitWrites,
  readCounter,
  requestCounterKind,
} from '../../lib/organizations/request-counter.ts';
import type { RequestCount } from '../../lib/organizations/request-limit.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { commitIn } from './origin.ts';

/** Gives an organization a limit of its own, in requests a second; without one, takes it away. */
export const limitOrganization = async (
  table: TableClient,
  organizationId: string,
  perSecond: number | undefined,
): Promise<void> => {
  const organization = await readOrganization(table, organizationId);
  await commitIn(table)(limitWrites(organization, perSecond, Date.now()));
};

/** What is counted of an organization. */
export const readCountOf = async (
  table: TableClient,
  organizationId: string,
): Promise<RequestCount> => (await readCounter(table, requestCounterKind.key({ organizationId })))!;

/** As if so many milliseconds of an organization's limit were used up. */
export const useUpLimit = async (
  table: TableClient,
  organizationId: string,
  milliseconds: number,
): Promise<void> =>
  void (await addToCounter(table, requestCounterKind.key({ organizationId }), milliseconds, {
    clearAt: 0,
  }));
