import * as z from 'zod/mini';
import { mostCursor } from './cursor.ts';
import { queryParameter } from './query-parameter.ts';

export const defaultLimit = 50;
export const mostLimit = 200;

/** A whole number in plain decimal digits. */
export const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,16}$/, message)), z.transform(Number)),
    z.int().check(z.gte(min, message), z.lte(max, message)),
  );
};

/** A cursor that is too long is not ours, and is refused as such. */
export const cursor = () => z.string().check(z.meta({ maxLength: mostCursor }));

/** The cursor of a request; undefined for the first page, which an empty cursor means, too. */
export const cursorParameter = () =>
  z.optional(
    queryParameter(
      z.pipe(
        cursor(),
        z.transform((text: string) => text || undefined),
      ),
    ),
  );

/** How many items a reply has at most. */
export const limitParameter = (most: number) =>
  z
    .optional(queryParameter(wholeNumber(1, most)))
    .check(z.meta({ description: 'The most items that a page has.', default: defaultLimit }));

/** The query parameters of every list. */
export const pageQuery = {
  cursor: cursorParameter().check(
    z.describe('`next_cursor` of the page before, with the same filters.'),
  ),
  limit: limitParameter(mostLimit),
};

/** The reply of every list; `next_cursor` is null on the last page. */
export const pageOf = <T extends z.core.SomeType>(item: T, most = mostLimit) =>
  z.strictObject({
    items: z.array(item).check(z.maxLength(most)),
    next_cursor: z.nullable(cursor()).check(z.describe('`null` on the last page.')),
  });

/** Lambda takes responses of 6,291,556 bytes, and what is beside the items is small. */
const mostItemBytes = 6_000_000;

/** The first items, as many as a reply has room for. Its body is a text in JSON: a control character takes 7 bytes. */
export const fitIntoReply = <T>(items: T[]): T[] => {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(item)));
    return bytes > mostItemBytes;
  });
  return end < 0 ? items : items.slice(0, end);
};
