import { ApiError, invalid } from '../../errors/errors.ts';
import type { Lead } from '../../leads/lead.ts';
import { isReplay } from '../../operations/idempotency-record.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { once } from '../once.ts';
import { withPaths } from '../paths.ts';
import { type Arguments, changes, type RunOperation, shapeOf, type Tool, toSent } from '../tool.ts';

export interface LeadOperations {
  createLead: AnyOperation;
  updateLead: AnyOperation;
  upsertLead: AnyOperation;
  getLead: AnyOperation;
}

export const saveLeadTool = (operations: LeadOperations): Tool => {
  const { createLead, updateLead, upsertLead, getLead } = operations;
  const { lead, ...matching } = shapeOf(upsertLead.request.body);
  return {
    name: 'save_lead',
    title: 'Save lead',
    description:
      'Changes the lead `lead_id`; or with `match`, the lead that has this external_id, or this email or phone in the pipeline, or creates it; without both, creates a lead. What is given replaces what is there, what is left out stays, null clears. A new lead needs contact_name and pipeline_id. The same new lead again within a day is the lead that is there. To move a lead, give `stage`. A won or lost lead keeps its next step: clear it. For a note, call add_note.',
    operations: [upsertLead, createLead, updateLead, getLead],
    input: { ...shapeOf(updateLead.request.path), ...matching, ...shapeOf(lead) },
    needs: [],
    says: {
      lead_id: 'The lead to change.',
      match:
        'The field to find the lead by: give it, too. Email or phone only where the pipeline has it in `unique_contact`.',
      move: 'Whether a lead that external_id finds in another pipeline moves to this one. Else it stays, and `stage` is left out.',
      stage: 'A stage of the pipeline, as whoami writes it.',
      owner_id: 'A member’s user_id.',
      tags: 'They replace all that the lead has.',
      next_step_at: 'When it is due, such as 2026-11-21T10:00:00-03:00.',
      fields: 'Custom fields by the keys that whoami tells. The others stay.',
    },
    annotations: changes,
    async work(given, run) {
      return [await save(operations, given, run)];
    },
  };
};

const save = async (
  { createLead, updateLead, upsertLead, getLead }: LeadOperations,
  given: Arguments,
  run: RunOperation,
): Promise<object> => {
  const { lead_id, match, move, ...fields } = given;
  if (isGiven(lead_id)) {
    if (isGiven(match)) throw invalid('match', 'can’t be given with lead_id');
    const updated = await run(updateLead, toSent(updateLead, { lead_id, ...fields }));
    return { outcome: 'updated', lead: updated.body };
  }
  if (isGiven(match)) {
    const body = { match, ...(isGiven(move) && { move }), lead: fields };
    const upsert = async () => (await run(upsertLead, { body })).body as object;
    return withPaths((path) => path.replace(/^lead\./, ''), upsert);
  }
  const { stage, ...input } = fields;
  let now: Lead | undefined;
  const reply = await once(createLead, toSent(createLead, input), run, async (earlier) => {
    now = await readLead(getLead, (earlier.body as Lead).id, run);
    return now === undefined;
  });
  const outcome = isReplay(reply) ? 'unchanged' : 'created';
  const made = reply.body as Lead;
  const lead = now ?? made;
  // A new lead starts in the default stage of its pipeline, and is moved from it once: a person may have moved it since.
  if (!isGiven(stage) || stage === lead.stage) return { outcome, lead };
  const moved = await once(updateLead, toSent(updateLead, { lead_id: made.id, stage }), run);
  return { outcome, lead: isReplay(moved) ? lead : moved.body };
};

/** The lead, or the lead that it was merged into; undefined where it was deleted. */
const readLead = async (
  getLead: AnyOperation,
  lead_id: string,
  run: RunOperation,
): Promise<Lead | undefined> => {
  try {
    return (await run(getLead, { path: { lead_id } })).body as Lead;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error;
    const survivor = error.details?.[0]?.lead_id;
    return survivor === undefined ? undefined : readLead(getLead, survivor, run);
  }
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
