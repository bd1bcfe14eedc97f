import * as z from 'zod/mini';
import { issueDetails } from '../../lib/schema/issues.ts';

/** What a schema finds wrong with a value: of each problem, what is told and where. */
export const detailsOf = (schema: z.core.$ZodType, value: unknown) => {
  const { error } = z.safeParse(schema, value);
  return error ? issueDetails(error) : [];
};

/** The same without the places. */
export const problemsOf = (schema: z.core.$ZodType, value: unknown): string[] =>
  detailsOf(schema, value).map(({ message }) => message);
