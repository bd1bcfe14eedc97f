import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { commitTo } from '../../lib/facts/transaction.ts';
import { serveCaller } from '../../lib/handlers/http/serve.ts';
import { defineCallerOperation } from '../../lib/operations/kinds/caller-operation.ts';
import { organizationKind } from '../../lib/organizations/organization.ts';
import { suspensionGrants, suspensionWrites } from '../../lib/organizations/suspension.ts';
import { uuid } from '../../lib/schema/fields.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';

const suspension = { suspended: z.boolean() };

export const operation = defineCallerOperation({
  scope: 'platform',
  id: 'putSuspension',
  summary: 'Suspend or resume organization',
  description:
    'Suspends an organization, or resumes it. Only a platform key may. While it is suspended, its members and API keys get 403 `organization_suspended`. Platform keys and events of billing go on; webhooks wait, and go on where they were.',
  method: 'PUT',
  path: '/organizations/{organization_id}/suspension',
  permission: 'organizations:write',
  request: {
    path: z.strictObject({ organization_id: uuid() }),
    body: z.strictObject(suspension).check(z.meta({ id: 'SuspensionInput' })),
  },
  response: {
    status: 200,
    body: z
      .strictObject({ organization_id: z.uuid(), ...suspension })
      .check(z.meta({ id: 'Suspension' })),
  },
  errors: ['not_found', 'write_conflict'],
  table: ['GetItem', ...suspensionGrants],

  async handle({ path, body, origin, now }, table) {
    const key = organizationKind.key({ organizationId: path.organization_id });
    const read = () => table.get(key);
    await retryOnConflict(table, await read(), read, async (found) => {
      if (!found) throw new ApiError('not_found');
      const writes = suspensionWrites(found, body.suspended, now);
      if (writes.length > 0) await commitTo(table, origin)(writes, { retryConflicts: false });
    });
    return { body: { ...path, ...body } };
  },
});

export const handler = serveCaller(operation);
