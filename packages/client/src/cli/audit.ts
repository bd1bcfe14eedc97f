import { stringify } from 'csv-stringify/sync';
import type { Change, ChangeType } from '../changes.ts';
import { CliError } from './cli-error.ts';
import { Connection, type Where } from './connection.ts';
import { withoutFormula } from './formulas.ts';
import { changesOf } from './lists.ts';
import { byteOrderMark, writeText } from './output.ts';
import { printable } from './terminal-text.ts';

export interface AuditOptions {
  from: string;
  to?: string | undefined;
  type?: ChangeType[] | undefined;
  user?: string | undefined;
  format: 'csv' | 'ndjson';
  bom: boolean;
}

/** Writes who changed what, when and by which request, to standard output: only what is of that time is read. */
export const runAudit = async (options: Where & AuditOptions): Promise<void> => {
  const connection = new Connection(options);
  const from = timeOf('--from', options.from);
  const to = options.to === undefined ? undefined : timeOf('--to', options.to);
  if (to !== undefined && to < from) throw new CliError('--to must not be before --from.');
  const shown = process.stdout.isTTY ? printable : (text: string) => text;
  await writeText(undefined, async function* texts() {
    const isCsv = options.format === 'csv';
    if (isCsv) yield `${options.bom ? byteOrderMark : ''}${stringify([columns])}`;
    for await (const change of changesOf(connection, {
      from,
      to,
      types: options.type,
      userId: options.user,
    }))
      yield shown(isCsv ? csvRow(change) : jsonRow(change));
  });
};

/** ISO 8601: a day, or a time with its offset. What else `Date.parse` takes, it takes as American or of this machine. */
const written = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** A time as people write it: a day is its beginning, in UTC. Throws `CliError`. */
const timeOf = (option: string, text: string): string => {
  const [, day = ''] = written.exec(text) ?? [];
  const [time, begin] = [Date.parse(text), Date.parse(day)];
  const isThere = !Number.isNaN(begin) && new Date(begin).toISOString().startsWith(day);
  if (!isThere || Number.isNaN(time)) {
    throw new CliError(`${option} must be a time in ISO 8601, such as 2026-11-20 or ${example}.`);
  }
  return new Date(time).toISOString();
};
const example = '2026-11-20T09:00:00Z';

const columns = ['at', 'user_name', 'user_id', 'type', 'of', 'what', 'request_id', 'sequence'];

type FieldOf<C> = C extends C ? keyof C & string : never;
type OfEvery = keyof Exclude<Change, { type: 'hidden' }>;

/** The fields that every change has; the others say what was changed. */
const isCommon: Record<OfEvery, true> = {
  event_id: true,
  sequence: true,
  feed_id: true,
  at: true,
  organization_id: true,
  type: true,
  version: true,
  user_id: true,
  user_name: true,
  request_id: true,
};

/** The fields that name a thing. A note also has the id of its lead. */
const isId: Record<Exclude<FieldOf<Change> & (`${string}_id` | 'field'), OfEvery>, true> = {
  note_id: true,
  lead_id: true,
  member_id: true,
  key_id: true,
  pipeline_id: true,
  webhook_id: true,
  field: true,
};
const ids = Object.keys(isId);

const csvRow = (change: Change): string => {
  const all: Record<string, unknown> = change;
  const of = ids.find((name) => all[name] !== undefined);
  const what = Object.entries(all).filter(
    ([name]) => !Object.hasOwn(isCommon, name) && name !== of,
  );
  const row = {
    ...all,
    of: of && all[of],
    what: what.length > 0 ? JSON.stringify(Object.fromEntries(what)) : undefined,
  } as Record<string, unknown>;
  const cells = columns.map((name) => row[name]);
  return stringify([cells.map((cell) => (typeof cell === 'string' ? withoutFormula(cell) : cell))]);
};

const jsonRow = (change: Change): string => `${JSON.stringify(change)}\n`;
