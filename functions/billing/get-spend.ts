import * as z from 'zod/mini';
import { readSpend, spend } from '../../lib/billing/spends/spend.ts';
import { eventIdInPath } from '../../lib/billing/terms/fields.ts';
import { isOwn } from '../../lib/billing/terms/own-spender.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { named, readUserNames } from '../../lib/organizations/user-names.ts';

export const operation = defineOperation({
  id: 'getSpend',
  summary: 'Get spend',
  description:
    'Reads what was spent under an id, and how much of it was refunded since. A captured hold is a spend, under the hold’s id.',
  method: 'GET',
  path: '/billing/spends/{event_id}',
  permission: 'billing:read',
  request: { path: z.strictObject({ event_id: eventIdInPath() }) },
  response: { status: 200, body: named(spend, 'NamedSpend') },
  errors: ['not_found'],
  table: ['GetItem'],

  read: ({ organizationId, path }, table) => readSpend(table, organizationId, path.event_id),

  async handle(call, found, table) {
    if (!isOwn(found, call.spender)) throw new ApiError('not_found');
    const nameOf = await readUserNames(table, call, [found]);
    return { body: { ...found, user_name: nameOf(found.user_id) } };
  },
});

export const handler = serve(operation);
