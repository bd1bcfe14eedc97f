import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import { fields, tagsCell } from './columns.ts';
import type { Connection } from './connection.ts';

type Lead = Record<string, unknown> & { tags: string[] };

const columns = ['id', ...fields, 'created_at', 'updated_at'];

/** Writes every lead to a file, or to standard output; answers how many. */
export const exportAll = async (
  { client }: Connection,
  file: string | undefined,
  format: 'csv' | 'ndjson',
): Promise<number> => {
  const output = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600 });
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  let count = 0;
  if (format === 'csv') await write(stringify([columns]));
  for await (const page of client.pages('/leads', { query: { limit: 200 } as never })) {
    const leads = page as unknown as Lead[];
    await write(leads.map(format === 'csv' ? csvRow : jsonRow).join(''));
    count += leads.length;
  }
  if (file !== undefined) {
    output.end();
    await once(output, 'finish');
  }
  return count;
};

const csvRow = (lead: Lead): string =>
  stringify([columns.map((name) => (name === 'tags' ? tagsCell(lead.tags) : lead[name]))]);

/** What is null is left out, as an import takes it. */
const jsonRow = (lead: Lead): string => {
  const given = columns.filter((name) => lead[name] !== null).map((name) => [name, lead[name]]);
  return `${JSON.stringify(Object.fromEntries(given))}\n`;
};
