import { operation as getBalance } from '../../../functions/billing/get-balance.ts';
import { operation as getSpendLimit } from '../../../functions/billing/get-spend-limit.ts';
import { operation as getUsage } from '../../../functions/billing/get-usage.ts';
import { operation as putSpend } from '../../../functions/billing/put-spend.ts';
import { operation as listFields } from '../../../functions/fields/list-fields.ts';
import { operation as createLead } from '../../../functions/leads/create-lead.ts';
import { operation as getLead } from '../../../functions/leads/get-lead.ts';
import { operation as listLeadHistory } from '../../../functions/leads/list-lead-history.ts';
import { operation as listLeads } from '../../../functions/leads/list-leads.ts';
import { operation as searchLeads } from '../../../functions/leads/search-leads.ts';
import { operation as updateLead } from '../../../functions/leads/update-lead.ts';
import { operation as upsertLead } from '../../../functions/leads/upsert-lead.ts';
import { operation as createNote } from '../../../functions/notes/create-note.ts';
import { operation as listNotes } from '../../../functions/notes/list-notes.ts';
import { operation as getOrganization } from '../../../functions/organizations/get-organization.ts';
import { operation as listMembers } from '../../../functions/organizations/list-members.ts';
import { operation as getPipelineSummary } from '../../../functions/pipelines/get-pipeline-summary.ts';
import { operation as listPipelines } from '../../../functions/pipelines/list-pipelines.ts';
import type { OpenRequest } from '../../../lib/admission/open-request.ts';
import { run } from '../../../lib/admission/run.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import { openEnvironment } from '../../../lib/handlers/http/environment.ts';
import { inputOf } from '../../../lib/handlers/http/input.ts';
import { middy } from '../../../lib/handlers/http/middleware.ts';
import { authentication } from '../../../lib/handlers/http/middlewares/authentication.ts';
import { errorEnvelope } from '../../../lib/handlers/http/middlewares/error-envelope.ts';
import { jsonBody } from '../../../lib/handlers/http/middlewares/json-body.ts';
import { organizationHeader } from '../../../lib/handlers/http/middlewares/organization-header.ts';
import { requestLog } from '../../../lib/handlers/http/middlewares/request-log.ts';
import { requestScope } from '../../../lib/handlers/http/middlewares/request-scope.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import { replyBeforeTimeoutMs } from '../../../lib/table/retry.ts';

// The operations of the agents' function, in one function that answers HTTP: the same work without the protocol and the tools.

export const operations: AnyOperation[] = [
  ...[getOrganization, getSpendLimit, listPipelines, listFields, listMembers],
  ...[listLeads, searchLeads, getLead, listNotes, listLeadHistory],
  ...[upsertLead, createLead, updateLead, createNote],
  ...[getPipelineSummary, getBalance, putSpend, getUsage],
];

const { table, verifier, memory } = openEnvironment();

export const handler = middy({ timeoutEarlyInMillis: replyBeforeTimeoutMs })
  .use(requestLog(putSpend))
  .use(errorEnvelope(putSpend))
  .use(requestScope(table, memory))
  .handler(
    middy<OpenRequest>()
      .use(authentication(verifier))
      .use(organizationHeader(putSpend))
      .use(jsonBody(putSpend))
      .handler(async (event, context) => {
        const asked = operations.find(
          ({ method, path }) => method === event.httpMethod && path === event.resource,
        );
        if (!asked) throw new ApiError('not_found');
        const input = inputOf(asked, event, context);
        return run(asked, context, context.organizationId, input, context);
      }),
  );
