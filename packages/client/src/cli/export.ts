import { createWriteStream, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import type { Client } from '../client.ts';
import type { FieldValue } from '../types.ts';
import { CliError } from './cli-error.ts';
import { fields, tagsCell } from './columns.ts';
import type { Connection } from './connection.ts';
import { columnOf, keyOf, readFieldTypes } from './custom-fields.ts';
import { withoutFormula } from './formulas.ts';
import { isPipe } from './input.ts';
import { mode, nextOf } from './private-file.ts';
import { withTemporary } from './temporary-file.ts';
import { printable } from './terminal-text.ts';

type Lead = Record<string, unknown> & { tags: string[]; fields: Record<string, FieldValue> };

const times = ['created_at', 'updated_at'];

/** Writes every lead to a file, in place of what was there, or to standard output; answers how many. */
export const exportAll = async (
  connection: Connection,
  file: string | undefined,
  format: 'csv' | 'ndjson',
): Promise<number> => {
  const custom = format === 'csv' ? [...(await readFieldTypes(connection)).keys()] : [];
  const columns = ['id', ...fields, ...custom.map(columnOf), ...times];
  const row = format === 'csv' ? (lead: Lead) => csvRow(lead, columns) : jsonRow;
  let leadCount = 0;
  const shown = file === undefined && process.stdout.isTTY ? printable : (text: string) => text;
  async function* texts() {
    if (format === 'csv') yield shown(stringify([columns]));
    for await (const leads of pagesOf(connection)) {
      yield shown(leads.map(row).join(''));
      leadCount += leads.length;
    }
  }
  if (file === undefined) await pipeline(texts, process.stdout, { end: false });
  else await replaced(file, texts);
  return leadCount;
};

async function* pagesOf(connection: Connection): AsyncGenerator<Lead[]> {
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: { limit: number; cursor?: string } = { limit: 200, ...(cursor && { cursor }) };
    const read = (client: Client) => client.get('/leads', { query });
    const { data }: Awaited<ReturnType<typeof read>> = await connection.send(read);
    yield data.items as unknown as Lead[];
    cursor = data.next_cursor ?? undefined;
  }
}

/** A file that is there stays as it is until all of the new one is written. A pipe is written into. */
const replaced = (file: string, texts: () => AsyncGenerator<string>): Promise<void> => {
  if (isPipe(file)) {
    assertTrusted(file);
    return writing(file, () => pipeline(texts, createWriteStream(file)));
  }
  const next = nextOf(file);
  return withTemporary(next, () =>
    writing(file, async () => {
      await pipeline(texts, createWriteStream(next, { mode, flags: 'wx' }));
      await rename(next, file);
    }),
  );
};

/** Whoever made a pipe may read what is written into it. */
const assertTrusted = (pipe: string): void => {
  const { uid } = statSync(pipe);
  if ([0, process.getuid?.() ?? 0].includes(uid)) return;
  throw new CliError(`${pipe} is of another user, who could read the leads.`);
};

const writing = async (file: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall ? new CliError(`${file} can’t be written: ${message}`) : error;
  }
};

const csvRow = (lead: Lead, columns: readonly string[]): string =>
  stringify([columns.map((name) => cellOf(lead, name))]);

const cellOf = (lead: Lead, name: string): unknown => {
  const key = keyOf(name);
  const value = key === undefined ? lead[name] : lead.fields[key];
  if (Array.isArray(value)) return withoutFormula(tagsCell(value));
  if (typeof value === 'string') return withoutFormula(value);
  return typeof value === 'boolean' ? String(value) : value;
};

/** What is null is left out, as an import takes it. */
const jsonRow = (lead: Lead): string => {
  const names = [
    'id',
    ...fields,
    ...(Object.keys(lead.fields).length > 0 ? ['fields'] : []),
    ...times,
  ];
  const entries = names.filter((name) => lead[name] !== null).map((name) => [name, lead[name]]);
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
};
