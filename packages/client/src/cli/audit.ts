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

/** The fields that every change has; the others say what was changed. */
const common = new Set([
  ...['event_id', 'sequence', 'feed_id', 'at', 'organization_id', 'type', 'version'],
  ...['user_id', 'user_name', 'request_id'],
]);
const ids = ['note_id', 'lead_id', 'member_id', 'key_id', 'pipeline_id', 'webhook_id', 'field'];

const csvRow = (change: Change): string => {
  const all: Record<string, unknown> = change;
  const of = ids.find((name) => all[name] !== undefined);
  const what = Object.entries(all).filter(([name]) => !common.has(name) && name !== of);
  const row = {
    ...all,
    of: of && all[of],
    what: what.length > 0 ? JSON.stringify(Object.fromEntries(what)) : undefined,
  } as Record<string, unknown>;
  const cells = columns.map((name) => row[name]);
  return stringify([cells.map((cell) => (typeof cell === 'string' ? withoutFormula(cell) : cell))]);
};

const jsonRow = (change: Change): string => `${JSON.stringify(change)}\n`;
