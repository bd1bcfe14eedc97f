import type { Sent } from './amend.ts';
import { type Lead, type Made, type MatchField, matchFields } from './fields.ts';
import type { Refused } from './journal.ts';
import { problemsIn } from './json-text.ts';
import type { ToLead } from './leads.ts';
import { type LeadFile, type Row, rowsOf } from './rows.ts';
import { excerptOf } from './values/plain-text.ts';

/** Leads in a request at most, and bytes of one of them. */
export const mostLeads = 100;
const mostBytes = 50_000;

/**
 * The size at which a batch is full. The service takes 50,000 names and values, and one more lead has 25,000 at most. It takes 6 MB,
 * as a JSON text inside of another, and one more lead has twice its bytes at most.
 */
const fullAt: Size = { namesAndValues: 24_000, bytes: 6_000_000 };

interface Size {
  namesAndValues: number;
  bytes: number;
}

/** Rows that are sent together, by their place in the file: always the same for the same file. */
export interface Batch {
  batch: number;
  rows: number;
  leads: Sent[];
  /** Rows that can’t be sent. */
  refused: Refused[];
}

/** With `match`, a row that would find the lead of a row before it is refused: it may be another person. */
export async function* batchesOf(
  file: string,
  leadFile: LeadFile,
  toLead: ToLead,
  match?: MatchField,
): AsyncGenerator<Batch> {
  const claims = new Map<string, number>();
  let batch = empty(0);
  let size = nothing;
  for await (const row of rowsOf(file, leadFile)) {
    const { namesAndValues, bytes } = add(
      batch,
      row,
      toLead(row),
      (lead) => match && repeatOf(claims, match, lead, row.line),
    );
    size = { namesAndValues: size.namesAndValues + namesAndValues, bytes: size.bytes + bytes };
    if (batch.rows < mostLeads && !isFull(size)) continue;
    yield batch;
    batch = empty(batch.batch + 1);
    size = nothing;
  }
  if (batch.rows > 0) yield batch;
}

const empty = (batch: number): Batch => ({ batch, rows: 0, leads: [], refused: [] });

const nothing: Size = { namesAndValues: 0, bytes: 0 };

const isFull = ({ namesAndValues, bytes }: Size): boolean =>
  namesAndValues >= fullAt.namesAndValues || bytes >= fullAt.bytes;

/** Returns how much it added. */
const add = (
  batch: Batch,
  { line }: Row,
  made: Made,
  repeated: (lead: Lead) => Refused | undefined,
): Size => {
  batch.rows++;
  if ('problem' in made) {
    batch.refused.push(refusedRow(line, made.problem));
    return nothing;
  }
  const json = JSON.stringify(made.lead);
  const problem = problemOf(json);
  if (problem !== undefined) {
    batch.refused.push(refusedRow(line, problem));
    return nothing;
  }
  const { lead, leftOut, cut, name } = made;
  const repeat = repeated(lead);
  if (repeat) {
    batch.refused.push(repeat);
    return nothing;
  }
  batch.leads.push({
    line,
    lead,
    ...(leftOut && { leftOut }),
    ...(cut && { cut }),
    ...(name !== undefined && { name }),
  });
  return {
    namesAndValues: json.match(nameOrValue)?.length ?? 0,
    bytes: Buffer.byteLength(JSON.stringify(json)),
  };
};

/** Why no request can have it: all of its rows would be refused. */
const problemOf = (json: string): string | undefined =>
  Buffer.byteLength(json) > mostBytes
    ? `has more than ${mostBytes} bytes`
    : problemsIn(json).values().next().value;

/** A name, a value, or the beginning of one, in JSON without blanks. */
const nameOrValue = /"(?:[^"\\]|\\.)*"|[{[]|[^"{}[\],:]+/g;

const refusedRow = (line: number, message: string): Refused => ({
  line,
  code: 'invalid_row',
  field: '',
  message: `The row ${message}.`,
});

/** Why a row is refused that would find the lead of a row before it: it could overwrite another person. */
const repeatOf = (
  claims: Map<string, number>,
  match: MatchField,
  lead: Lead,
  line: number,
): Refused | undefined => {
  const value = lead[match];
  if (typeof value !== 'string') return undefined;
  const claim = claimOf(match, value, lead);
  const first = claims.get(claim);
  if (first === undefined) {
    claims.set(claim, line);
    return undefined;
  }
  const message = `${excerptOf(value)} is the ${match} of line ${first}, too: only that row counts`;
  return { line, code: 'duplicate_row', field: match, message };
};

/** Names a value that no two leads share: an external id in the organization, a contact in its pipeline. An email is the same in any case. */
export const claimOf = (field: string, value: unknown, { pipeline_id: pipeline }: Lead): string => {
  if (field === 'external_id') return `external_id ${value}`;
  const contact = field === 'email' ? String(value).toLowerCase() : value;
  return `${field} ${String(pipeline ?? '').toLowerCase()} ${contact}`;
};

/** The values that rows can compete for, each with its first line. */
export const valuesOf = ({ leads }: Pick<Batch, 'leads'>): Map<string, number> => {
  const values = new Map<string, number>();
  for (const { line, lead } of leads) {
    for (const field of matchFields) {
      const value = lead[field];
      if (typeof value !== 'string') continue;
      const name = valueName(field, value);
      if (!values.has(name)) values.set(name, line);
    }
  }
  return values;
};

/** A value that rows can compete for, in any case of letters. */
export const valueName = (field: string, value: string): string =>
  `${field} ${value.toLowerCase()}`;
