import * as z from 'zod/mini';
import { argumentSchemas } from '../../lib/agents/schemas.ts';
import { findLeadsTool } from '../../lib/agents/tools/find-leads.ts';
import { getLeadTool } from '../../lib/agents/tools/get-lead.ts';
import { saveLeadTool } from '../../lib/agents/tools/save-lead.ts';
import {
  addNoteTool,
  balanceTool,
  pipelineSummaryTool,
  spendStarsTool,
  usageTool,
} from '../../lib/agents/tools/simple.ts';
import { whoamiTool } from '../../lib/agents/tools/whoami.ts';
import { chainGrants } from '../../lib/handlers/http/serve.ts';
import { serveAgent } from '../../lib/handlers/http/serve-agent.ts';
import type { AgentEndpoint } from '../../lib/operations/kinds/agent-endpoint.ts';
import { operation as getBalance } from '../billing/get-balance.ts';
import { operation as getSpendLimit } from '../billing/get-spend-limit.ts';
import { operation as getUsage } from '../billing/get-usage.ts';
import { operation as putSpend } from '../billing/put-spend.ts';
import { operation as listFields } from '../fields/list-fields.ts';
import { operation as createLead } from '../leads/create-lead.ts';
import { operation as getLead } from '../leads/get-lead.ts';
import { operation as listLeadHistory } from '../leads/list-lead-history.ts';
import { operation as listLeads } from '../leads/list-leads.ts';
import { operation as searchLeads } from '../leads/search-leads.ts';
import { operation as updateLead } from '../leads/update-lead.ts';
import { operation as upsertLead } from '../leads/upsert-lead.ts';
import { operation as createNote } from '../notes/create-note.ts';
import { operation as listNotes } from '../notes/list-notes.ts';
import { operation as getOrganization } from '../organizations/get-organization.ts';
import { operation as listMembers } from '../organizations/list-members.ts';
import { operation as getPipelineSummary } from '../pipelines/get-pipeline-summary.ts';
import { operation as listPipelines } from '../pipelines/list-pipelines.ts';

export const tools = [
  whoamiTool(getOrganization, getSpendLimit, {
    pipelines: listPipelines,
    fields: listFields,
    members: listMembers,
  }),
  findLeadsTool(listLeads, searchLeads),
  getLeadTool(getLead, listNotes, listLeadHistory),
  saveLeadTool({ createLead, updateLead, upsertLead, getLead }),
  addNoteTool(createNote),
  pipelineSummaryTool(getPipelineSummary),
  balanceTool(getBalance),
  spendStarsTool(putSpend),
  usageTool(getUsage),
];

const operations = [...new Set(tools.flatMap((tool) => tool.operations))];

export const operation: AgentEndpoint = {
  kind: 'agent',
  id: 'answerAgent',
  summary: 'Answer an agent (Model Context Protocol)',
  description:
    'Answers a message of the Model Context Protocol: an agent lists the tools that its API key has, and calls them.',
  method: 'POST',
  path: '/mcp',
  request: { body: z.unknown() },
  response: { status: 200, body: z.looseObject({ jsonrpc: z.literal('2.0') }) },
  errors: [],
  operations,
  table: operations.flatMap((one) => [...chainGrants(one), ...one.table]),
};

export const handler = serveAgent(operation, { tools, schemas: argumentSchemas, getOrganization });
