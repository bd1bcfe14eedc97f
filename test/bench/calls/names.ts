import type { Cost } from '../../cost/measure.ts';

/** What is called over the API or invoked for a purpose of its own, by its example. */
export const pricedCalls = [
  'createLead, every field and two tags',
  'createLead, just a name',
  'createLeads, ten with email and owner',
  'upsertLead, a value of one that is there',
  'getLead, a lead',
  'listLeads, all',
  'listLeads, of a pipeline, stage and owner',
  'listLeads, of a stage in every pipeline',
  'listLeads, of a tag and an owner',
  'searchLeads, a word',
  'updateLead, a stage',
  'deleteLead, a lead is deleted',
  'listLeadHistory, of a new lead',
  'listChanges, one a page',
  'listPipelines, all pipelines',
  'getPipeline, a pipeline',
  'getPipelineSummary, what each stage has',
  'createPipeline, with a single stage',
  'updatePipeline, another name',
  'listMembers, all members',
  'putMember, a new agent',
  'deleteMember, a member is removed',
  'getBalance, what there is',
  'listBillingHistory, how it began',
  'listPlans, all plans',
  'spendStars, a few',
  'holdStars, for a job',
  'captureHold, what it cost',
  'releaseHold, none of it spent',
  'applyWalletEvents, a pack',
  'putPlan, a plan',
  'provisionOrganization, just an owner',
] as const;

const otherCalls = [
  'createLead, every field and two tags, again',
  'updateLead, a value',
  'numberChanges, a new lead',
  'numberChanges, a change of a lead',
  'numberChanges, ten new leads at once',
] as const;

/** Every call that a section names. A test holds that all of them are measured. */
export const callNames = [...pricedCalls, ...otherCalls];
export type CallName = (typeof callNames)[number];

/** What a call cost. */
export const costNamed = (costs: readonly Cost[], wanted: CallName): Cost =>
  costs.find(({ name }) => name === wanted)!;
