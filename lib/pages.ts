import * as z from 'zod/mini';
import { once } from './http/validation.ts';

export const defaultLimit = 50;
const mostLimit = 200;

/** A whole number in plain decimal digits. */
const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, message)), z.transform(Number)),
    z.int().check(z.gte(min, message), z.lte(max, message)),
  );
};

/** The query parameters of every list. */
export const pageQuery = {
  cursor: z.optional(once(z.string())),
  limit: z.optional(once(wholeNumber(1, mostLimit))),
};

/** The answer of every list; `next_cursor` is null on the last page. */
export const pageOf = <T extends z.core.SomeType>(item: T) =>
  z.strictObject({ items: z.array(item), next_cursor: z.nullable(z.string()) });
