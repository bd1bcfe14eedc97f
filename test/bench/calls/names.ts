import type { Cost } from '../../cost/measure.ts';

/** The calls in the table, by the names of their examples. */
export const shownCalls = [
  'createLead, just a name',
  'createLead, every field and two tags',
  'createLeads, ten with email and owner',
  'updateLead, a stage',
  'getLead, a lead',
  'listLeads, all',
  'searchLeads, a word',
  'getBalance, what there is',
  'putSpend, a few stars',
  'createSpends, 25 at once',
  'followChanges, a spend to be counted as usage',
] as const;

/** Every call that a section names. A test holds that all of them are measured. */
export const callNames = [...shownCalls, 'numberChanges, a new lead'] as const;
export type CallName = (typeof callNames)[number];

/** What a call cost. */
export const costNamed = (costs: readonly Cost[], wanted: CallName): Cost =>
  costs.find(({ name }) => name === wanted)!;
