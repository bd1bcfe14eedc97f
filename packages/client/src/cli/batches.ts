import type { Lead, ToLead } from './columns.ts';
import type { Refused } from './journal.ts';
import { type Row, rowsOf, type Source } from './rows.ts';

/** Leads in a request at most, and bytes of one of them, so that 100 stay below what a request can have. */
const mostLeads = 100;
const mostBytes = 50_000;

/** So many names and values make a batch full. The service takes 50,000, and one more lead has 25,000 at most. */
const fullAt = 24_000;

/** Rows that are sent together, by their place in the file: always the same for the same file. */
export interface Batch {
  batch: number;
  rows: number;
  leads: { line: number; lead: Lead }[];
  /** Rows that can’t be sent. */
  refused: Refused[];
}

export async function* batchesOf(
  file: string,
  source: Source,
  toLead: ToLead,
): AsyncGenerator<Batch> {
  let batch = empty(0);
  let namesAndValues = 0;
  for await (const row of rowsOf(file, source)) {
    namesAndValues += add(batch, row, toLead);
    if (batch.rows < mostLeads && namesAndValues < fullAt) continue;
    yield batch;
    batch = empty(batch.batch + 1);
    namesAndValues = 0;
  }
  if (batch.rows > 0) yield batch;
}

const empty = (batch: number): Batch => ({ batch, rows: 0, leads: [], refused: [] });

/** Returns how many names and values it added. */
const add = (batch: Batch, row: Row, toLead: ToLead): number => {
  const { line } = row;
  const made = toLead(row);
  batch.rows++;
  if ('problem' in made) {
    batch.refused.push(refusedRow(line, made.problem));
    return 0;
  }
  const json = JSON.stringify(made.lead);
  if (Buffer.byteLength(json) > mostBytes) {
    batch.refused.push(refusedRow(line, `has more than ${mostBytes} bytes`));
    return 0;
  }
  batch.leads.push({ line, lead: made.lead });
  return json.match(nameOrValue)?.length ?? 0;
};

/** A name, a value, or the beginning of one, in JSON without blanks. */
const nameOrValue = /"(?:[^"\\]|\\.)*"|[{[]|[^"{}[\],:]+/g;

const refusedRow = (line: number, message: string): Refused => ({
  line,
  code: 'invalid_row',
  field: '',
  message: `The row ${message}.`,
});

/** What two rows can compete for. */
export const valuesOf = ({ leads }: Batch): string[] =>
  leads.flatMap(({ lead }) =>
    (['external_id', 'email', 'phone'] as const).flatMap((field) =>
      typeof lead[field] === 'string' ? [`${field} ${lead[field].toLowerCase()}`] : [],
    ),
  );
