import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import type { FieldValue } from '../types.ts';
import { fields, tagsCell } from './columns.ts';
import type { Connection } from './connection.ts';
import { columnOf, keyOf, readFieldTypes } from './custom-fields.ts';

type Lead = Record<string, unknown> & { tags: string[]; fields: Record<string, FieldValue> };

const times = ['created_at', 'updated_at'];

/** Writes every lead to a file, or to standard output; answers how many. */
export const exportAll = async (
  connection: Connection,
  file: string | undefined,
  format: 'csv' | 'ndjson',
): Promise<number> => {
  const output = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600 });
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  const custom = format === 'csv' ? [...(await readFieldTypes(connection)).keys()] : [];
  const columns = ['id', ...fields, ...custom.map(columnOf), ...times];
  let count = 0;
  if (format === 'csv') await write(stringify([columns]));
  for await (const page of connection.client.pages('/leads', { query: { limit: 200 } as never })) {
    const leads = page as unknown as Lead[];
    const row = format === 'csv' ? (lead: Lead) => csvRow(lead, columns) : jsonRow;
    await write(leads.map(row).join(''));
    count += leads.length;
  }
  if (file !== undefined) {
    output.end();
    await once(output, 'finish');
  }
  return count;
};

const csvRow = (lead: Lead, columns: readonly string[]): string =>
  stringify([columns.map((name) => cellOf(lead, name))]);

const cellOf = (lead: Lead, name: string): unknown => {
  const key = keyOf(name);
  const value = key === undefined ? lead[name] : lead.fields[key];
  if (Array.isArray(value)) return tagsCell(value);
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
  const given = names.filter((name) => lead[name] !== null).map((name) => [name, lead[name]]);
  return `${JSON.stringify(Object.fromEntries(given))}\n`;
};
