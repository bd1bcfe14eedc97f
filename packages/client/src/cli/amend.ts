import { keyOf } from './custom-fields.ts';
import { dispensable, fields, type Lead, type LeftOut } from './fields.ts';
import { excerptOf } from './values/plain-text.ts';

/** A row as it is sent. */
export interface Sent {
  line: number;
  lead: Lead;
  /** Absent where a wrong value is to cost the row. */
  leftOut?: LeftOut[];
  cut?: LeftOut[];
  /** The name of new leads that have none. */
  name?: string | undefined;
}

/** An outcome of a batch, as the API answers it. */
export interface Outcome {
  status: number;
  outcome?: 'created' | 'updated' | 'unchanged';
  error?: {
    code: string;
    message: string;
    details?: { path: string; message: string; lead_id?: string }[];
  };
}

export interface Settled {
  sent: Sent;
  outcome: Outcome;
  /** The round in which the row was settled, from 0 on. */
  round: number;
}

/** After each round a lead has a field less. At first a single custom field may go, then all of them. */
const mostRounds = fields.length + 2;

/**
 * Asks for the outcomes of rows, and again for those that are refused for a value that a lead can do without: without it.
 * So a wrong value does not cost the row. Answers in the order of the rows.
 */
export const settleAll = async (
  rows: readonly Sent[],
  match: string | undefined,
  ask: (leads: Lead[], round: number) => Promise<Outcome[]>,
): Promise<Settled[]> => {
  const settled = new Map<number, Settled>();
  let open = rows.map((sent, i) => ({ sent, i }));
  for (let round = 0; open.length > 0; round++) {
    const outcomes = await ask(
      open.map(({ sent }) => sent.lead),
      round,
    );
    open = open.flatMap(({ sent, i }, at) => {
      const outcome = outcomes[at]!;
      const amended = round < mostRounds ? amend(sent, outcome, match) : undefined;
      if (amended) return [{ sent: amended, i }];
      settled.set(i, { sent, outcome, round });
      return [];
    });
  }
  return rows.map((_, i) => settled.get(i)!);
};

/** The row without what was refused, or with a name; undefined where that does not help. */
export const amend = (
  { line, lead, leftOut, name }: Sent,
  { error }: Outcome,
  match: string | undefined,
): Sent | undefined => {
  if (error?.code !== 'invalid_request' || !leftOut || !error.details?.length) return undefined;
  const { fields, ...others } = lead as { fields?: Record<string, unknown> } & Record<
    string,
    unknown
  >;
  const custom = { ...fields };
  const left = [...leftOut];
  let changed = false;
  for (const { path, message } of error.details) {
    const key = keyOf(path);
    const field = path.split('.')[0] ?? '';
    const leave = (value: unknown, of: string) => {
      changed = true;
      left.push({ field: of, message: `${excerptOf(textOf(value))} ${message}` });
    };
    if (field === 'contact_name') {
      const cut = nameInstead(lead.contact_name, name);
      if (cut === undefined) return undefined;
      if (lead.contact_name !== undefined) leave(lead.contact_name, field);
      others.contact_name = cut;
      changed = true;
    } else if (field === 'fields') {
      for (const one of key === undefined ? Object.keys(custom) : [key.split('.')[0]!]) {
        if (Object.hasOwn(custom, one)) leave(custom[one], `fields.${one}`);
        delete custom[one];
      }
    } else if (dispensable.includes(field) && field !== match) {
      if (field in others) leave(others[field], field);
      delete others[field];
    } else return undefined;
  }
  if (!changed) return undefined;
  const rest = Object.keys(custom).length > 0 ? { fields: custom } : {};
  return { line, lead: { ...others, ...rest }, leftOut: left, name };
};

/** Characters of a name at most. */
export const mostNameCharacters = 200;

/** The beginning of a name that is too long; `name` for a lead that has none. Undefined where nothing helps. */
const nameInstead = (given: unknown, name: string | undefined): string | undefined => {
  if (typeof given !== 'string') return name;
  const characters = [...given];
  if (characters.length <= mostNameCharacters) return undefined;
  return characters.slice(0, mostNameCharacters).join('');
};

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join('; ') : String(value);
