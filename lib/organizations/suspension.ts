import type { WriteOrFact } from '../facts/transaction.ts';
import type { PresentedKey } from '../operations/presented-key.ts';
import { type Grant, grantsOn } from '../table/grants.ts';
import type { Table } from '../table/table.ts';
import { update } from '../table/write.ts';
import { type OrganizationItem, organizationKind, updateOrganization } from './organization.ts';
import { listOrganization } from './organization-list.ts';
import { requestCounterKind } from './request-counter.ts';
import type { RequestCount } from './request-limit.ts';

// docs/decisions/request-limit.md

/** Whether a caller is stopped, as the organization is suspended: a platform key never is. */
export const isStopped = (
  { suspended }: Pick<RequestCount, 'suspended'>,
  { apiKey }: { apiKey?: PresentedKey | undefined },
): boolean => suspended === true && apiKey?.kind !== 'platform';

/** Whether an organization is suspended, strongly consistent. */
export const isSuspended = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<boolean> =>
  (await table.get(requestCounterKind.key({ organizationId })))?.suspended ?? false;

/** What suspending does with the table. */
export const suspensionGrants = [
  ...grantsOn('UpdateItem', 'ORG#', 'REQUESTS#'),
  ...grantsOn('PutItem', 'ORGANIZATION_FACT#', 'ORGANIZATIONS'),
] as const satisfies Grant[];

/**
 * Suspends an organization, or resumes it: nothing where it is so already. What every request reads is written with it.
 * Refused with `ConflictError` if it is another by now.
 */
export const suspensionWrites = (
  before: OrganizationItem,
  isToBe: boolean,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  if ((before.suspended_at !== undefined) === isToBe) return [];
  const suspended_at = isToBe ? new Date(now).toISOString() : undefined;
  const { organizationId } = organizationKind.idsOf(before);
  return [
    ...updateOrganization(
      before,
      { suspended_at },
      {
        type: isToBe ? 'organization.suspended' : 'organization.resumed',
        changed: ['suspended_at'],
        now,
      },
    ),
    update(requestCounterKind.key({ organizationId }), {
      set: { suspended: isToBe || undefined },
    }),
    listOrganization(organizationId, { ...before, suspended_at }),
  ];
};
