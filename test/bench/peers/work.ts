import { ApiError, invalid } from '../../../lib/errors/errors.ts';
import { type Lead, type LeadInput, newLead } from '../../../lib/leads/lead.ts';
import { createWrites } from '../../../lib/leads/lead-writes.ts';
import { replyOnce } from '../../../lib/operations/idempotency.ts';
import { toIdempotentRequest } from '../../../lib/operations/idempotency-record.ts';
import { rolePermissions } from '../../../lib/operations/permissions.ts';
import type { Call, Reply } from '../../../lib/operations/request.ts';
import { readRole } from '../../../lib/organizations/members.ts';
import { toPipeline } from '../../../lib/pipelines/pipeline.ts';
import { etag } from '../../../lib/schema/etag.ts';
import { openTable } from '../../../lib/table/client.ts';
import { pipelineKey } from '../../../lib/table/keys.ts';
import { readStoredKeys } from '../../../lib/tokens/stored-keys.ts';
import { TokenVerifier } from '../../../lib/tokens/verifier.ts';

// What every peer does the same way, so that only the frameworks differ: the token, the membership,
// the requests to DynamoDB.

const { ISSUER: issuer = '', AUDIENCE: audience = '', JWKS_URI: jwksUri = '' } = process.env;
const table = openTable();
const verifier = new TokenVerifier({ issuer, audience, jwksUri }, () =>
  readStoredKeys(table, jwksUri),
);
verifier.prepare();

/** The user whose token it is. Throws `unauthenticated`. */
export const userOf = (authorization: string | undefined): Promise<string> =>
  verifier.verify((authorization ?? '').slice('Bearer '.length));

/** Throws `forbidden`. */
const assertMayWrite = async (organizationId: string, userId: string): Promise<void> => {
  const role = await readRole(table, organizationId, userId);
  if (!role || !rolePermissions[role].has('leads:write')) throw new ApiError('forbidden');
};

interface Caller {
  organizationId: string;
  userId: string;
  /** None where the framework sees to it. */
  idempotencyKey: string | undefined;
}

export const createLead = async (caller: Caller, body: LeadInput): Promise<Reply<Lead>> => {
  const call: Call<{ path: object; query: object; body: LeadInput }> = {
    ...caller,
    ifMatch: undefined,
    path: {},
    query: {},
    body,
    now: Date.now(),
  };
  const { organizationId, userId } = call;
  const request = toIdempotentRequest('createLead', call, caller.idempotencyKey);
  const [[pipeline]] = await Promise.all([
    table.getAll([pipelineKey(organizationId, body.pipeline_id)]),
    assertMayWrite(organizationId, userId),
  ]);
  return replyOnce<Lead>(table, request, async (commit) => {
    if (!pipeline) throw invalid('pipeline_id', 'is not a pipeline of this organization');
    const lead = newLead(body, toPipeline(pipeline));
    const writes = createWrites(call, lead, toPipeline(pipeline), true);
    return commit(writes, { headers: etag(1), body: lead });
  });
};

/** Status and body of an error, in the service's envelope. */
export const errorOf = (error: unknown, requestId: string) => {
  const known = error instanceof ApiError ? error : new ApiError('internal', { cause: error });
  const { code, message, details, kind } = known;
  return {
    status: kind.status,
    body: { error: { code, message, request_id: requestId, ...(details && { details }) } },
  };
};
