import { stringify } from 'csv-stringify/sync';
import { Connection, type Where } from './connection.ts';
import { withoutFormula } from './formulas.ts';
import { pagesOf } from './lists.ts';
import { byteOrderMark, writeText } from './output.ts';

export interface UsageOptions {
  from?: string | undefined;
  to?: string | undefined;
  by: 'day' | 'feature' | 'spender';
  format: 'csv' | 'ndjson';
  bom: boolean;
}

/** Writes what was used to standard output, and until when it is counted to standard error. Throws `ApiError`. */
export const runUsage = async ({ from, to, by, format, bom, ...where }: Where & UsageOptions) => {
  const connection = new Connection(where);
  const query = { ...(from && { from }), ...(to && { to }), group_by: by };
  let asOf = '';
  const pages = pagesOf(connection, async (client, page) => {
    const answer = await client.get('/billing/usage', { query: { ...query, ...page } });
    // All pages are as of the time that the first page tells.
    asOf ||= answer.data.as_of;
    return answer;
  });
  const isCsv = format === 'csv';
  await writeText(undefined, async function* texts() {
    if (isCsv) {
      yield `${bom ? byteOrderMark : ''}${stringify([[by, 'spent_stars', 'refunded_stars']])}`;
    }
    for await (const items of pages) {
      for (const item of items) {
        const { day, name, spent_stars, refunded_stars } = item;
        const cell = withoutFormula(day ?? name ?? '');
        yield isCsv
          ? stringify([[cell, spent_stars, refunded_stars]])
          : `${JSON.stringify(item)}\n`;
      }
    }
  });
  console.error(`Counted until ${asOf}.`);
};
