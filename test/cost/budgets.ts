/** What a call may cost: capacity units read, written, and requests to DynamoDB in a row. */
export type Budget = readonly [read: number, write: number, trips: number];

/**
 * Each of `calls`, with an idempotency key where it takes one, by a member whom the environment has seen.
 * These are exact; but a refused transaction, which a repeat is, costs nothing on the local engine only.
 */
export const budgets: Record<string, Budget> = {
  'createLead, just a name': [2, 10, 2],
  'createLead, every field and two tags': [3, 19, 2],
  '… the same again': [3, 0, 2],
  'createLeads, ten with email and owner': [3, 152, 3],
  getLead: [2, 0, 1],
  listLeads: [4, 0, 1],
  'listLeads of a pipeline': [4, 0, 1],
  'listLeads of a pipeline, stage and owner': [4, 0, 1],
  'listLeads of a stage in two pipelines': [5, 0, 2],
  'listLeads of a tag': [3.5, 0, 1],
  'listLeads of a tag and an owner': [6.5, 0, 1],
  'updateLead, a value': [2, 17, 2],
  'updateLead, a stage': [3, 21, 3],
  'updateLead, an email': [3, 19, 3],
  'updateLead, the tags': [2, 17, 2],
  deleteLead: [2, 19, 2],
  listLeadHistory: [2, 0, 1],
  listPipelines: [2, 0, 1],
  getPipeline: [2, 0, 1],
  getPipelineSummary: [3, 0, 1],
  createPipeline: [1, 6, 2],
  'updatePipeline, a name': [2, 4, 2],
  listMembers: [2, 0, 1],
  putMember: [3, 8, 2],
  getMember: [2, 0, 1],
  deleteMember: [3, 8, 2],
  getBalance: [2, 0, 1],
  listBillingHistory: [2, 0, 1],
  spendStars: [2, 6, 2],
  'applyWalletEvents, one event': [2, 6, 2],
  putPlan: [1, 2, 2],
  listPlans: [2, 0, 1],
  provisionOrganization: [0, 8, 1],
};
