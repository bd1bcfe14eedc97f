import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import type { ErrorDetail } from './errors.ts';

// zod/mini comes without messages.
z.config(english());

/** At most so many problems are told of one request. */
const mostDetails = 20;

/** What is wrong with an input, field by field. Never repeats the input itself. */
export const issueDetails = (error: z.core.$ZodError): ErrorDetail[] =>
  error.issues.flatMap(details).slice(0, mostDetails);

const details = (issue: z.core.$ZodIssue): ErrorDetail[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: join([...issue.path, key]), message: 'is not known here' }))
    : [{ path: join(issue.path), message: issue.message }];

const join = (path: readonly PropertyKey[]): string => path.map(String).join('.');
