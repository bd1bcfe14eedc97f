import * as z from 'zod/mini';
import { invalid } from '../../errors/errors.ts';
import { isReplay } from '../../operations/idempotency-record.ts';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { shortName } from '../../schema/fields.ts';
import { once } from '../once.ts';
import { withPaths } from '../paths.ts';
import { adds, changes, reads, shapeOf, type Tool, toSent } from '../tool.ts';

/** A tool that is one operation which reads, with its own arguments. */
const readingTool = (
  operation: AnyOperation,
  told: Pick<Tool, 'name' | 'title' | 'description' | 'says'>,
): Tool => ({
  ...told,
  operations: [operation],
  input: { ...shapeOf(operation.request.path), ...shapeOf(operation.request.query) },
  annotations: reads,
  work: async (given, run) => [(await run(operation, toSent(operation, given))).body as object],
});

export const pipelineSummaryTool = (getPipelineSummary: AnyOperation): Tool =>
  readingTool(getPipelineSummary, {
    name: 'pipeline_summary',
    title: 'Pipeline summary',
    description:
      'Tells how many leads each stage of a pipeline has, and what they are worth in cents. The sums count won and lost leads, too.',
  });

export const balanceTool = (getBalance: AnyOperation): Tool =>
  readingTool(getBalance, {
    name: 'balance',
    title: 'Balance of stars',
    description:
      'Tells how many stars (prepaid credits) the organization has: `available_stars` can be spent. A limit may leave you fewer: see `limit` in whoami.',
    says: { at: 'A moment in the past. Now, if it is left out.' },
  });

/** Names or days of usage that an answer has at most. */
const mostUsageItems = 20;

export const usageTool = (getUsage: AnyOperation): Tool => {
  const tool = readingTool(getUsage, {
    name: 'usage',
    title: 'Usage of stars',
    description: `Tells how many stars were spent and refunded, by day, feature or spender: “what did agent-7 spend this week” is \`group_by\` spender, \`from\` Monday. Gives ${mostUsageItems} at a time; the rest by \`cursor\`. Days are in UTC. What was spent a moment ago may be missing: \`as_of\` says until when all is in it.`,
  });
  const { limit: _, ...input } = tool.input;
  return {
    ...tool,
    input,
    work: (given, run, callerId) => tool.work({ limit: mostUsageItems, ...given }, run, callerId),
  };
};

export const addNoteTool = (createNote: AnyOperation): Tool => ({
  name: 'add_note',
  title: 'Add note',
  description:
    'Writes a note on a lead. The same text again within a day is the note that is there: to write it twice, change the text.',
  operations: [createNote],
  input: { ...shapeOf(createNote.request.path), ...shapeOf(createNote.request.body) },
  annotations: adds,
  async work(given, run) {
    const reply = await once(createNote, toSent(createNote, given), run);
    return [{ is_repeat: isReplay(reply), note: reply.body }];
  },
});

export const spendStarsTool = (putSpend: AnyOperation): Tool => ({
  name: 'spend_stars',
  title: 'Spend stars',
  description:
    'Spends stars for a job, once: the same `job` again, with the same stars, spends nothing more and tells the first spend. Spends none where there are too few, or where a limit is reached.',
  operations: [putSpend],
  input: {
    job: shortName().check(z.describe('Your name for the work that is paid, such as enrich-4711.')),
    ...shapeOf(putSpend.request.body),
  },
  says: {
    feature: 'What the stars are for: usage counts by it.',
    spender: 'Who uses them. Leave it out where whoami tells your own.',
    not_after: 'Later than this, nothing is spent. A repeat may have another.',
  },
  annotations: changes,
  async work({ job, ...given }, run, callerId) {
    const name = z.safeParse(shortName(), job);
    if (!name.success) throw invalid('job', 'must be 1 to 64 of A-Z a-z 0-9 . _ : -');
    if (given.event_id !== undefined)
      throw invalid('event_id', 'is made of the job: give job alone');
    const event_id = `agent:${callerId}:${name.data}`;
    const { status, body } = await withPaths(
      (path) => (path === 'event_id' ? 'job' : path),
      () => run(putSpend, toSent(putSpend, { ...given, event_id })),
    );
    return [{ is_repeat: status === 200, ...(body as object) }];
  },
});
