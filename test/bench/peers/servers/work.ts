import { safeParse, type z } from 'zod/mini';
import { operation as getBalance } from '../../../../functions/billing/get-balance.ts';
import { operation as createLead } from '../../../../functions/leads/create-lead.ts';
import { operation as getLead } from '../../../../functions/leads/get-lead.ts';
import { operation as listLeads } from '../../../../functions/leads/list-leads.ts';
import { operation as getPipelineSummary } from '../../../../functions/pipelines/get-pipeline-summary.ts';
import { ApiError } from '../../../../lib/errors/errors.ts';
import { replyOnce } from '../../../../lib/operations/idempotency.ts';
import { toIdempotentRequest } from '../../../../lib/operations/idempotency-record.ts';
import type { AnyOperation } from '../../../../lib/operations/kinds/operation.ts';
import { rolePermissions } from '../../../../lib/operations/permissions.ts';
import type { Reply } from '../../../../lib/operations/request.ts';
import { readRole } from '../../../../lib/organizations/members.ts';
import { issueDetails } from '../../../../lib/schema/issues.ts';
import { openTable } from '../../../../lib/table/client.ts';
import { userOf } from '../work.ts';

// The service's operations, for servers that stay: only what takes a request apart is theirs.

export const operations = { createLead, getBalance, getLead, getPipelineSummary, listLeads };

export interface Received {
  authorization: string | undefined;
  organizationId: string | undefined;
  idempotencyKey: string | undefined;
  path: Record<string, string>;
  /** Of a URL, with its question mark or without. */
  query: string;
  body: unknown;
}

const table = openTable();

/** Does it. Throws an `ApiError`. */
export const perform = async (operation: AnyOperation, received: Received): Promise<Reply> => {
  const userId = await userOf(received.authorization);
  const { organizationId = '', idempotencyKey } = received;
  const { path, query, body } = operation.request;
  const call = {
    organizationId,
    userId,
    ifMatch: undefined,
    path: path && checked(path, received.path),
    query: query && checked(query, valuesOf(received.query)),
    body: body && checked(body, received.body),
    now: Date.now(),
  };
  const [data, role] = await Promise.all([
    operation.read?.(call, table),
    readRole(table, organizationId, userId),
  ]);
  if (!role || !rolePermissions[role].has(operation.permission)) throw new ApiError('forbidden');
  const use = toIdempotentRequest(operation.id, call, idempotencyKey);
  const assertMember = async () => {};
  return replyOnce(table, use, async (commit) =>
    operation.handle({ ...call, role, assertMember }, data, table, commit),
  );
};

const checked = (schema: z.core.$ZodType, input: unknown): unknown => {
  const result = safeParse(schema, input);
  if (result.success) return result.data;
  throw new ApiError('invalid_request', { details: issueDetails(result.error) });
};

const valuesOf = (query: string): Record<string, string[]> => {
  const sent = new URLSearchParams(query);
  return Object.fromEntries([...sent.keys()].map((name) => [name, sent.getAll(name)]));
};

/** Tells the process that started this one where it listens. */
export const listening = (port: number): void => {
  process.send?.({ port });
  process.on('disconnect', () => process.exit());
};
