import * as z from 'zod/mini';
import { defineOperation, type Operation } from '../../lib/operations/kinds/operation.ts';
import { memberKind } from '../../lib/organizations/members.ts';
import { queryParameter } from '../../lib/schema/query-parameter.ts';
import type { Organization, Request } from './support.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test makes of it what it needs.
type Echo = Operation<any, any, any, any>;

/** Answers what the chain made of the request; `change` makes another operation of it. */
export const echo = (change: Partial<Echo> = {}): Echo => ({
  ...defineOperation({
    id: 'echo',
    summary: 'Answers its call.',
    description: 'Answers what it was asked.',
    method: 'PATCH',
    path: '/echoes/{id}',
    permission: 'leads:write',
    request: {
      path: z.strictObject({ id: z.string() }),
      query: z.strictObject({
        limit: z.optional(queryParameter(z.string().check(z.minLength(2, 'is short')))),
      }),
      body: z.strictObject({ value: z.optional(z.any()) }),
    },
    idempotent: true,
    takesIfMatch: true,
    response: { status: 201, body: z.any() },
    errors: [],
    table: ['GetItem'],
    read: ({ organizationId, userId }, table) =>
      table.get(memberKind.key({ organizationId, userId })),
    handle: ({ limit: _, ...call }) => ({ body: { ...call, ifMatch: String(call.ifMatch) } }),
  }),
  ...change,
});

/** A request that echo answers, with changes. */
export const echoed = (organization: Organization, change: Request = {}): Request => ({
  path: { id: 'a' },
  body: '{"value":1}',
  ...change,
  headers: organization.headers({ 'Content-Type': 'application/json', ...change.headers }),
});
