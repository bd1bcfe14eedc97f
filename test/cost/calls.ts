import { randomUUID } from 'node:crypto';
import type { Request } from '../faults/client.ts';
import { type Setting, wholeLead } from './setting.ts';

/** One call, as it is made in a setting; what it changes, no other call depends on. */
export interface Call {
  name: string;
  request: (setting: Setting) => Request;
  /** Its idempotency key is the one of the call before: it is a repeat. */
  repeat?: boolean;
}

const createLead = (body: (setting: Setting) => object) => (setting: Setting) => ({
  id: 'createLead',
  path: '/leads',
  body: body(setting),
});

const whole = ({ pipelineId, owner }: Setting) => wholeLead(pipelineId, owner, 1001);

const list = (query: (setting: Setting) => string) => (setting: Setting) => ({
  id: 'listLeads',
  path: `/leads${query(setting)}`,
});

const patch = (n: number, body: object) => (setting: Setting) => ({
  id: 'updateLead',
  path: `/leads/${setting.leadIds[n]}`,
  body,
});

const packPurchased = (organization_id: string) => ({
  'detail-type': 'pack.purchased',
  id: randomUUID(),
  detail: { event_id: randomUUID(), organization_id, stars: 5 },
});

/** Every operation that uses the table, in the ways that cost differently. In this order. */
export const calls: Call[] = [
  {
    name: 'createLead, just a name',
    request: createLead(({ pipelineId }) => ({ contact_name: 'Rui', pipeline_id: pipelineId })),
  },
  { name: 'createLead, every field and two tags', request: createLead(whole) },
  { name: '… the same again', request: createLead(whole), repeat: true },
  {
    name: 'createLeads, ten with email and owner',
    request: ({ pipelineId, owner }) => ({
      id: 'createLeads',
      path: '/leads/batch',
      body: {
        leads: Array.from({ length: 10 }, (_, n) => ({
          ...wholeLead(pipelineId, owner, 2000 + n),
          tags: [],
        })),
      },
    }),
  },
  { name: 'getLead', request: ({ leadIds: [id] }) => ({ id: 'getLead', path: `/leads/${id}` }) },
  { name: 'listLeads', request: list(() => '') },
  {
    name: 'listLeads of a pipeline',
    request: list(({ pipelineId }) => `?pipeline_id=${pipelineId}`),
  },
  {
    name: 'listLeads of a pipeline, stage and owner',
    request: list((s) => `?pipeline_id=${s.pipelineId}&stage=new&owner_id=${s.owner}`),
  },
  { name: 'listLeads of a stage in two pipelines', request: list(() => '?stage=new') },
  { name: 'listLeads of a tag', request: list(() => '?tag=inbound') },
  {
    name: 'listLeads of a tag and an owner',
    request: list(({ owner }) => `?tag=inbound&owner_id=${owner}`),
  },
  { name: 'updateLead, a value', request: patch(1, { value_cents: 7 }) },
  { name: 'updateLead, a stage', request: patch(2, { stage: 'won' }) },
  { name: 'updateLead, an email', request: patch(3, { email: 'ana@example.org' }) },
  { name: 'updateLead, the tags', request: patch(4, { tags: ['inbound', 'vip'] }) },
  {
    name: 'deleteLead',
    request: ({ leadIds }) => ({ id: 'deleteLead', path: `/leads/${leadIds[5]}` }),
  },
  {
    name: 'listLeadHistory',
    request: ({ leadIds }) => ({ id: 'listLeadHistory', path: `/leads/${leadIds[1]}/history` }),
  },
  { name: 'listPipelines', request: () => ({ id: 'listPipelines', path: '/pipelines' }) },
  {
    name: 'getPipeline',
    request: ({ pipelineId }) => ({ id: 'getPipeline', path: `/pipelines/${pipelineId}` }),
  },
  {
    name: 'getPipelineSummary',
    request: ({ pipelineId }) => ({
      id: 'getPipelineSummary',
      path: `/pipelines/${pipelineId}/summary`,
    }),
  },
  {
    name: 'createPipeline',
    request: () => ({
      id: 'createPipeline',
      path: '/pipelines',
      body: { name: 'Events', stages: [{ name: 'new', outcome: 'open' }] },
    }),
  },
  {
    name: 'updatePipeline, a name',
    request: ({ pipelineId }) => ({
      id: 'updatePipeline',
      path: `/pipelines/${pipelineId}`,
      body: { name: 'Direct sales' },
    }),
  },
  { name: 'listMembers', request: () => ({ id: 'listMembers', path: '/members' }) },
  {
    name: 'putMember',
    request: () => ({ id: 'putMember', path: `/members/${newcomer}`, body: { role: 'viewer' } }),
  },
  { name: 'getMember', request: () => ({ id: 'getMember', path: `/members/${newcomer}` }) },
  {
    name: 'deleteMember',
    request: () => ({ id: 'deleteMember', path: `/members/${newcomer}` }),
  },
  { name: 'getBalance', request: () => ({ id: 'getBalance', path: '/billing/balance' }) },
  {
    name: 'listBillingHistory',
    request: () => ({ id: 'listBillingHistory', path: '/billing/history' }),
  },
  {
    name: 'spendStars',
    request: ({ id }) => ({
      id: 'spendStars',
      body: { organization_id: id, event_id: 'spent', stars: 3 },
    }),
  },
  {
    name: 'applyWalletEvents, one event',
    request: ({ id }) => ({
      id: 'applyWalletEvents',
      body: { Records: [{ messageId: '1', body: JSON.stringify(packPurchased(id)) }] },
    }),
  },
  {
    name: 'putPlan',
    request: () => ({
      id: 'putPlan',
      body: {
        tier: 'pro',
        name: 'Pro',
        monthly_grant_stars: 100,
        // What is so already is not written.
        price_cents: Date.now() % 1_000_000,
        currency: 'USD',
      },
    }),
  },
  { name: 'listPlans', request: () => ({ id: 'listPlans', path: '/billing/plans' }) },
  {
    name: 'provisionOrganization',
    request: ({ owner }) => ({
      id: 'provisionOrganization',
      body: {
        organization_id: randomUUID(),
        name: 'Ipê',
        members: [{ user_id: owner, role: 'owner' }],
      },
    }),
  },
];

const newcomer = '0190a5d2-0000-7000-8000-000000000003';
