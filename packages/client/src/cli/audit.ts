import { stringify } from 'csv-stringify/sync';
import type { Change } from '../changes.ts';
import type { Client } from '../client.ts';
import { CliError } from './cli-error.ts';
import { Connection, type Where } from './connection.ts';
import { withoutFormula } from './formulas.ts';
import { printable } from './terminal-text.ts';

export interface AuditOptions {
  from: string;
  to?: string | undefined;
  type?: string[] | undefined;
  format: 'csv' | 'ndjson';
}

/** Writes who changed what, when and by which request, to standard output: only what is of that time is read. */
export const runAudit = async (options: Where & AuditOptions): Promise<void> => {
  const connection = new Connection(options);
  const times = {
    from: timeOf('--from', options.from),
    ...(options.to && { to: timeOf('--to', options.to) }),
  };
  const write = options.format === 'csv' ? csvRow : jsonRow;
  if (options.format === 'csv') print(stringify([columns]));
  for await (const changes of pagesOf(connection, times, options.type))
    print(changes.map(write).join(''));
};

const print = (text: string): void => {
  process.stdout.write(process.stdout.isTTY ? printable(text) : text);
};

/** A time as people write it: a day is its beginning, in UTC. Throws `CliError`. */
const timeOf = (option: string, text: string): string => {
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw new CliError(`${option} must be a time in ISO 8601, such as 2026-11-20 or ${example}.`);
  }
  return new Date(time).toISOString();
};
const example = '2026-11-20T09:00:00Z';

async function* pagesOf(
  connection: Connection,
  times: { from: string; to?: string },
  type: string[] | undefined,
): AsyncGenerator<Change[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const query = { after, limit: 200, ...times, ...(type && { type }) };
    const read = (client: Client) => client.get('/changes', { query: query as object });
    const { data }: Awaited<ReturnType<typeof read>> = await connection.send(read);
    yield data.items;
    after = data.has_more ? data.last_sequence : undefined;
  }
}

const columns = ['at', 'user_name', 'user_id', 'type', 'of', 'what', 'request_id', 'sequence'];

/** What every change has; the rest of it says what was changed. */
const common = new Set([
  ...['event_id', 'sequence', 'feed_id', 'at', 'organization_id', 'type', 'version'],
  ...['user_id', 'user_name', 'request_id'],
]);
const ids = ['note_id', 'lead_id', 'member_id', 'key_id', 'pipeline_id', 'webhook_id', 'field'];

const csvRow = (change: Change): string => {
  const all: Record<string, unknown> = change;
  const what = Object.entries(all).filter(([name]) => !common.has(name) && !ids.includes(name));
  const row = {
    ...all,
    of: ids.map((name) => all[name]).find((id) => id !== undefined),
    what: what.length > 0 ? JSON.stringify(Object.fromEntries(what)) : undefined,
  } as Record<string, unknown>;
  const cells = columns.map((name) => row[name]);
  return stringify([cells.map((cell) => (typeof cell === 'string' ? withoutFormula(cell) : cell))]);
};

const jsonRow = (change: Change): string => `${JSON.stringify(change)}\n`;
