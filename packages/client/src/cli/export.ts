import { stringify } from 'csv-stringify/sync';
import type { FieldValue } from '../types.ts';
import { Connection, type Where } from './connection.ts';
import { columnOf, keyOf, readCustomFields } from './custom-fields.ts';
import type { ListQuery } from './export-options.ts';
import { fields, timesSetByService } from './fields.ts';
import { withoutFormula } from './formulas.ts';
import { isPipe } from './input.ts';
import { pagesOf } from './lists.ts';
import { assertFree, byteOrderMark, writeText } from './output.ts';
import { printable } from './terminal-text.ts';
import { tagsCell } from './values/tags.ts';

type ExportedLead = Record<string, unknown> & {
  tags: string[];
  fields: Record<string, FieldValue>;
};

/** How leads are written. */
interface Writing {
  format: 'csv' | 'ndjson';
  /** Whether CSV begins with the mark of UTF-8; it does unless told. */
  bom?: boolean | undefined;
  /** Whether a file that is there is replaced. */
  force?: boolean | undefined;
}

/** Exports, and says how many leads there are. Throws `CliError` and `ApiError`. */
export const runExport = async (
  name: string | undefined,
  { format, bom, force, ...where }: Where & Writing,
  query: ListQuery = {},
): Promise<void> => {
  const file = name === '-' ? undefined : name;
  const leadCount = await exportAll(new Connection(where), file, { format, bom, force }, query);
  if (file !== undefined && !isPipe(file)) console.log(`${leadCount} leads`);
};

/** Writes every lead of a list to a file, or to standard output; answers how many. */
export const exportAll = async (
  connection: Connection,
  file: string | undefined,
  { format, bom: withMark = true, force }: Writing,
  query: ListQuery = {},
): Promise<number> => {
  assertFree(file, force);
  const custom = format === 'csv' ? [...(await readCustomFields(connection)).keys()] : [];
  const columns = ['id', ...fields, ...custom.map(columnOf), ...timesSetByService];
  const row = format === 'csv' ? (lead: ExportedLead) => csvRow(lead, columns) : jsonRow;
  let leadCount = 0;
  const shown = file === undefined && process.stdout.isTTY ? printable : (text: string) => text;
  async function* texts() {
    if (format === 'csv') yield `${withMark ? byteOrderMark : ''}${shown(stringify([columns]))}`;
    const pages = pagesOf(connection, (client, page) =>
      client.get('/leads', { query: { ...query, ...page } }),
    );
    for await (const page of pages) {
      const leads = page as unknown as ExportedLead[];
      yield shown(leads.map(row).join(''));
      leadCount += leads.length;
    }
  }
  await writeText(file, texts, force);
  return leadCount;
};

const csvRow = (lead: ExportedLead, columns: readonly string[]): string =>
  stringify([columns.map((name) => cellOf(lead, name))]);

const cellOf = (lead: ExportedLead, name: string): unknown => {
  const key = keyOf(name);
  const value = key === undefined ? lead[name] : lead.fields[key];
  if (Array.isArray(value)) return withoutFormula(tagsCell(value));
  if (typeof value === 'string') return withoutFormula(value);
  return typeof value === 'boolean' ? String(value) : value;
};

/** Values that are null are left out, as an import takes it. */
const jsonRow = (lead: ExportedLead): string => {
  const names = [
    'id',
    ...fields,
    ...(Object.keys(lead.fields).length > 0 ? ['fields'] : []),
    ...timesSetByService,
  ];
  const entries = names.filter((name) => lead[name] !== null).map((name) => [name, lead[name]]);
  return `${JSON.stringify(Object.fromEntries(entries))}\n`;
};
