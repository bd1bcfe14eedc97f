import * as z from 'zod/mini';
import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { cursorParameter } from '../../schema/pages.ts';
import { numberOf, reads, shapeOf, type Tool, toSent } from '../tool.ts';

const mostNotes = 5;
const mostChanges = 5;

interface ListPage {
  items: Record<string, unknown>[];
  next_cursor: string | null;
}

export const getLeadTool = (
  getLead: AnyOperation,
  listNotes: AnyOperation,
  listLeadHistory: AnyOperation,
): Tool => ({
  name: 'get_lead',
  title: 'Get lead',
  description: `Reads a lead with all its fields, its last ${mostNotes} notes and its last ${mostChanges} changes. Older ones are read by \`notes_cursor\` and \`history_cursor\`. Long texts are cut: \`text_from\` shows those of notes from that character on.`,
  operations: [getLead, listNotes, listLeadHistory],
  input: {
    ...shapeOf(getLead.request.path),
    notes_cursor: cursorParameter(),
    history_cursor: cursorParameter(),
    text_from: z.optional(z.int().check(z.gte(0))),
  },
  annotations: reads,
  async work({ notes_cursor, history_cursor, text_from = 0, ...given }, run) {
    const from = numberOf('text_from', text_from, 0);
    const path = { lead_id: given.lead_id };
    const page = async (operation: AnyOperation, limit: number, cursor: unknown) => {
      const { body } = await run(operation, toSent(operation, { ...path, limit, cursor }));
      return body as ListPage;
    };
    const [lead, notes, history] = await Promise.all([
      run(getLead, toSent(getLead, given)),
      page(listNotes, mostNotes, notes_cursor),
      page(listLeadHistory, mostChanges, history_cursor),
    ]);
    const isOlder = notes_cursor !== undefined || history_cursor !== undefined || from > 0;
    const rest = {
      notes: notes.items.map(({ text, ...note }) => ({
        ...note,
        text: String(text).slice(from),
      })),
      notes_cursor: notes.next_cursor,
      history: history.items,
      history_cursor: history.next_cursor,
    };
    const { body } = lead as { body: object };
    return isOlder
      ? [rest]
      : [
          { lead: body, ...rest },
          { lead: body, ...rest, history: undefined },
        ];
  },
});
