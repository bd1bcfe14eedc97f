import * as z from 'zod/mini';
import { serve } from '../../lib/handlers/http/serve.ts';
import { defineOperation } from '../../lib/operations/kinds/operation.ts';
import { callerRoles } from '../../lib/operations/permissions.ts';
import { limits, limitsOf } from '../../lib/organizations/limits.ts';
import { readOrganization } from '../../lib/organizations/organization.ts';
import { currency } from '../../lib/schema/fields.ts';

export const operation = defineOperation({
  id: 'getOrganization',
  summary: 'Get organization',
  description:
    'The organization that `X-Organization-Id` names, the caller’s role in it, how much of its limits is used, and the currency of its leads’ values. Every member may ask.',
  method: 'GET',
  path: '/organization',
  permission: 'organization:read',
  request: {},
  response: {
    status: 200,
    body: z
      .strictObject({
        id: z.uuid(),
        name: z.string(),
        currency: currency(),
        role: z.enum(callerRoles),
        limits,
      })
      .check(z.meta({ id: 'Organization' })),
  },
  errors: [],
  table: ['GetItem'],

  read: ({ organizationId }, table) => readOrganization(table, organizationId),

  handle: ({ organizationId, role }, { name, currency, ...counts }) => ({
    body: { id: organizationId, name, currency, role, limits: limitsOf(counts) },
  }),
});

export const handler = serve(operation);
