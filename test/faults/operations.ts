import type { Request } from './client.ts';
import { newcomer, provisioning, type Setting, viewerId } from './setting.ts';

type Requests = Record<string, (setting: Setting) => Omit<Request, 'id'>>;

/** A request of every operation that writes. */
export const writes: Requests = {
  createLead: ({ pipelineId }) => ({
    path: '/leads',
    body: { contact_name: 'Rui', pipeline_id: pipelineId, email: 'rui@example.com', tags: ['c'] },
  }),
  createLeads: ({ pipelineId: pipeline_id }) => ({
    path: '/leads/batch',
    body: {
      leads: [
        { contact_name: 'Eva', pipeline_id, email: 'ana@example.com' },
        { contact_name: 'Ivo', pipeline_id, value_cents: 7, tags: ['a'] },
        { contact_name: '' },
      ],
    },
  }),
  updateLead: ({ leadId }) => ({
    path: `/leads/${leadId}`,
    body: { stage: 'won', email: 'ana@example.org', tags: ['b', 'c'], value_cents: 250 },
  }),
  deleteLead: ({ leadId }) => ({ path: `/leads/${leadId}` }),
  createPipeline: () => ({
    path: '/pipelines',
    body: { name: 'Partners', stages: [{ name: 'new', outcome: 'open' }] },
  }),
  updatePipeline: ({ pipelineId }) => ({
    path: `/pipelines/${pipelineId}`,
    body: { stages: ['new', 'won', 'lost'].map((name) => ({ name, outcome: 'open' })) },
  }),
  putMember: () => ({ path: `/members/${newcomer}`, body: { role: 'owner' } }),
  deleteMember: () => ({ path: `/members/${viewerId}` }),
  provisionOrganization: ({ id }) => provisioning(id),
  spendStars: ({ id }) => ({ body: { organization_id: id, event_id: 'spent-once', stars: 30 } }),
};

/** Paths of every operation that reads; the catalogue of plans has no organization in its key. */
export const reads: Record<string, (setting: Setting) => string[]> = {
  getLead: ({ leadId }) => [`/leads/${leadId}`],
  listLeads: ({ pipelineId }) => [
    '/leads?limit=2',
    `/leads?pipeline_id=${pipelineId}`,
    '/leads?tag=a&tag=b',
  ],
  listLeadHistory: ({ leadId }) => [`/leads/${leadId}/history`],
  listPipelines: () => ['/pipelines'],
  getPipeline: ({ pipelineId }) => [`/pipelines/${pipelineId}`],
  getPipelineSummary: ({ pipelineId }) => [`/pipelines/${pipelineId}/summary`],
  listMembers: () => ['/members'],
  getBalance: () => ['/billing/balance'],
  listBillingHistory: () => ['/billing/history'],
  listPlans: () => ['/billing/plans'],
};
