import type { Request } from './client.ts';
import { newcomer, provisioning, type Setting, viewerId } from './setting.ts';

const stage = (name: string) => ({ name, outcome: 'open' });
const lead = { contact_name: 'Rui', email: 'rui@example.com', tags: ['c'] };
const patch = { stage: 'won', email: 'ana@example.org', tags: ['b', 'c'], value_cents: 250 };
const firstVersion = { 'if-match': '"1"' };

/** An event as the queue brings it. */
const message = (type: string, detail: { event_id: string; [field: string]: unknown }) => ({
  messageId: detail.event_id,
  body: JSON.stringify({ id: detail.event_id, 'detail-type': type, detail }),
});

/** A request of every operation that writes, and others of those that write in several ways. */
export const writes: Record<string, (setting: Setting) => Request> = {
  createLead: ({ pipelineId: pipeline_id }) => ({
    id: 'createLead',
    path: '/leads',
    body: { ...lead, pipeline_id },
  }),
  createLeads: ({ pipelineId: pipeline_id }) => ({
    id: 'createLeads',
    path: '/leads/batch',
    body: {
      leads: [
        { contact_name: 'Eva', pipeline_id, email: 'ana@example.com' },
        { contact_name: 'Ivo', pipeline_id, value_cents: 7, tags: ['a'] },
        { contact_name: '' },
      ],
    },
  }),
  updateLead: ({ leadId }) => ({ id: 'updateLead', path: `/leads/${leadId}`, body: patch }),
  'updateLead with If-Match': ({ leadId }) => ({
    id: 'updateLead',
    path: `/leads/${leadId}`,
    headers: firstVersion,
    body: patch,
  }),
  deleteLead: ({ leadId }) => ({ id: 'deleteLead', path: `/leads/${leadId}` }),
  'deleteLead with If-Match': ({ leadId }) => ({
    id: 'deleteLead',
    path: `/leads/${leadId}`,
    headers: firstVersion,
  }),
  createPipeline: () => ({
    id: 'createPipeline',
    path: '/pipelines',
    body: { name: 'Partners', stages: [stage('new')] },
  }),
  updatePipeline: ({ pipelineId }) => ({
    id: 'updatePipeline',
    path: `/pipelines/${pipelineId}`,
    body: { stages: ['new', 'won', 'lost'].map(stage) },
  }),
  'updatePipeline with If-Match': ({ pipelineId }) => ({
    id: 'updatePipeline',
    path: `/pipelines/${pipelineId}`,
    headers: firstVersion,
    body: { name: 'Renamed' },
  }),
  putMember: () => ({
    id: 'putMember',
    path: `/members/${newcomer}`,
    body: { role: 'owner' },
  }),
  deleteMember: () => ({ id: 'deleteMember', path: `/members/${viewerId}` }),
  provisionOrganization: ({ id }) => provisioning(id),
  spendStars: ({ id }) => ({
    id: 'spendStars',
    body: { organization_id: id, event_id: 'spent-once', stars: 30 },
  }),
  applyWalletEvents: ({ id: organization_id }) => ({
    id: 'applyWalletEvents',
    body: {
      Records: [
        message('pack.purchased', { organization_id, event_id: 'purchased-once', stars: 5 }),
        message('subscription.renewed', {
          organization_id,
          event_id: 'renewed-once',
          monthly_grant_stars: 90,
          current_period_end: '2041-01-01T00:00:00Z',
        }),
      ],
    },
  }),
};

/** Of the catalogue, which all organizations share. */
export const putPlan = ({ plan }: Setting): Request => ({
  id: 'putPlan',
  body: { tier: plan, name: 'Pro', monthly_grant_stars: 100, price_cents: 4900, currency: 'USD' },
});

/**
 * Paths of every operation that reads. Of those with a limit, the second page is read as well; the
 * setting has more than one of everything.
 */
export const reads: Record<string, (setting: Setting) => string[]> = {
  getLead: ({ leadId }) => [`/leads/${leadId}`],
  listLeads: ({ pipelineId }) => [
    '/leads?limit=1',
    `/leads?pipeline_id=${pipelineId}&limit=1`,
    '/leads?stage=new&limit=1',
    '/leads?tag=a&tag=b&limit=1',
  ],
  listLeadHistory: ({ leadId }) => [`/leads/${leadId}/history?limit=1`],
  listPipelines: () => ['/pipelines'],
  getPipeline: ({ pipelineId }) => [`/pipelines/${pipelineId}`],
  getPipelineSummary: ({ pipelineId }) => [`/pipelines/${pipelineId}/summary`],
  listMembers: () => ['/members?limit=1'],
  getMember: () => [`/members/${viewerId}`],
  getBalance: () => ['/billing/balance'],
  listBillingHistory: () => ['/billing/history?limit=1'],
};
