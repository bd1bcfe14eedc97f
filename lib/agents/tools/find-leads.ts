import type { AnyOperation } from '../../operations/kinds/operation.ts';
import { limitParameter } from '../../schema/pages.ts';
import { type Forms, numberOf, reads, shapeOf, type Tool, toSent } from '../tool.ts';

/** Leads that an answer has at most, and has unless told. */
const mostRows = 20;
const usualRows = 10;

/** What a lead is told by, from the fullest form to the shortest. */
const columns = [
  'id contact_name stage next_step_at',
  'value_cents next_step',
  'company_name owner_id',
  'email phone',
  'pipeline_id updated_at stage_entered_at tags',
].map((_, i, all) =>
  all
    .slice(0, all.length - i)
    .join(' ')
    .split(' '),
);

type Row = Record<string, unknown>;

export const findLeadsTool = (listLeads: AnyOperation, searchLeads: AnyOperation): Tool => ({
  name: 'find_leads',
  title: 'Find leads',
  description: `Finds leads. All filters that are given must hold. With \`q\`, by words of name, company, email or phone (no \`sort\`, no \`cursor\`); else the newest first, or as \`sort\` says. Gives ${usualRows} leads, or \`limit\`; the more leads, the fewer fields of each: get_lead has all. What a lead does not have is left out. With \`outcome\` open, “due today” is \`next_step_to\` with the end of the user’s day and \`sort\` next_step_at; “stuck” is \`stage_entered_to\` two weeks ago.`,
  operations: [listLeads, searchLeads],
  input: {
    ...shapeOf(searchLeads.request.query),
    ...shapeOf(listLeads.request.query),
    limit: limitParameter(mostRows),
  },
  says: {
    q: 'Words, or beginnings of words.',
    stage: 'In one of these stages.',
    tag: 'With all of these tags.',
    fields: 'By custom fields that are filterable, such as {"source": "google"}.',
    owner_id:
      'A member’s user_id, or `none`: without an owner. `me` is for users, not for API keys.',
    phone: 'Just this one, such as +5511987654321, or `none`: without one.',
    value_from: 'In cents: 10,000 or more is 1000000.',
    value_to: 'In cents, less than this.',
    limit: `${usualRows} by default.`,
    cursor: '`next_cursor` of the page before, with the same filters.',
  },
  annotations: reads,
  async work({ limit = usualRows, ...filters }, run) {
    const rows = numberOf('limit', limit, 1, mostRows);
    const operation = filters.q === undefined ? listLeads : searchLeads;
    const { body } = await run(operation, toSent(operation, { ...filters, limit: rows }));
    const { items, next_cursor, more } = body as {
      items: Row[];
      next_cursor?: string;
      more?: boolean;
    };
    const forms = columns.map((names) => ({
      leads: items.map((lead) => Object.fromEntries(names.map((name) => [name, told(lead[name])]))),
      next_cursor,
      more: more || undefined,
      next: more ? 'There are more leads: give more words or filters.' : undefined,
    }));
    return forms as unknown as Forms;
  },
});

/** An empty list tells nothing. */
const told = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 0 ? undefined : value;
