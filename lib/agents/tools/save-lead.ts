import { ApiError, invalid } from '../../errors/errors.ts';
import type { Lead } from '../../leads/lead.ts';
import { isReplay } from '../../operations/idempotency-record.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { once } from '../once.ts';
import { type Arguments, changes, type RunOperation, shapeOf, type Tool, toSent } from '../tool.ts';

export interface LeadOperations {
  createLead: AnyOperation;
  updateLead: AnyOperation;
  upsertLead: AnyOperation;
}

export const saveLeadTool = (operations: LeadOperations): Tool => {
  const { createLead, updateLead, upsertLead } = operations;
  const { lead, ...matching } = shapeOf(upsertLead.request.body);
  return {
    name: 'save_lead',
    title: 'Save lead',
    description:
      'Changes the lead `lead_id`; or with `match`, the lead that has this external_id, email or phone in the pipeline, or creates it; without both, creates a lead. What is left out stays as it is, null clears it. A new lead needs contact_name and pipeline_id. The same new lead again within a day is the lead that is there. To move a lead, give `stage`.',
    operations: [upsertLead, createLead, updateLead],
    input: { ...shapeOf(updateLead.request.path), ...matching, ...shapeOf(lead) },
    needs: [],
    says: { lead_id: 'The lead to change.', match: 'What to find the lead by: it must be given.' },
    annotations: changes,
    async work(given, run) {
      return [await save(operations, given, run)];
    },
  };
};

const save = async (
  { createLead, updateLead, upsertLead }: LeadOperations,
  given: Arguments,
  run: RunOperation,
): Promise<object> => {
  const { lead_id, match, move, ...fields } = given;
  const update = async (patch: Arguments) =>
    (await run(updateLead, toSent(updateLead, patch))).body;
  if (isGiven(lead_id)) {
    if (isGiven(match)) throw invalid('match', 'can’t be given with lead_id');
    return { outcome: 'updated', lead: await update({ lead_id, ...fields }) };
  }
  if (isGiven(match)) {
    const body = { match, ...(isGiven(move) && { move }), lead: fields };
    return withoutPrefix(async () => (await run(upsertLead, { body })).body as object);
  }
  const { stage, ...input } = fields;
  const reply = await once(createLead, toSent(createLead, input), run);
  const outcome = isReplay(reply) ? 'unchanged' : 'created';
  const lead = reply.body as Lead;
  // A new lead starts in the default stage of its pipeline.
  if (!isGiven(stage) || stage === lead.stage) return { outcome, lead };
  return { outcome, lead: await update({ lead_id: lead.id, stage }) };
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Names fields in errors as the tool does: `email`, not `lead.email`. */
const withoutPrefix = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError && error.details)) throw error;
    const details = error.details.map((one) => ({ ...one, path: one.path.replace(/^lead\./, '') }));
    throw new ApiError(error.code, { details, cause: error });
  }
};
