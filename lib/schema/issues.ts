import * as z from 'zod/mini';
import { ApiError, type ErrorDetail, mostDetails, mostPathBytes } from '../errors/errors.ts';
import { issueMessage } from './issue-message.ts';

// zod/mini comes without messages.
z.config({ customError: issueMessage });

/**
 * The problems of an input, field by field. They never repeat the input itself. `unknown` has other words for an unknown
 * key.
 */
export const issueDetails = (error: z.core.$ZodError, unknown?: Unknown): ErrorDetail[] =>
  error.issues.flatMap((issue) => details(issue, unknown)).slice(0, mostDetails);

/** The input after the schema. Throws `invalid_request` with what is wrong with it. */
export const parseInput = <S extends z.core.$ZodType>(
  schema: S,
  input: unknown,
): z.core.output<S> => {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  throw new ApiError('invalid_request', { details: issueDetails(result.error) });
};

type Unknown = (key: string) => string;

const details = (issue: z.core.$ZodIssue, unknown?: Unknown): ErrorDetail[] => {
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.slice(0, mostDetails).map((key, i) => ({
      path: pathOf([...issue.path, key]),
      message: unknown?.(key) ?? messages[i] ?? '',
    }));
  }
  const matchingOption = issue.code === 'invalid_union' && issue.errors.find(isOfThisType);
  if (!matchingOption) return [{ path: pathOf(issue.path), message: messageOf(issue) }];
  return matchingOption.flatMap((one) =>
    details({ ...one, path: [...issue.path, ...one.path] }, unknown),
  );
};

/** Whether an option of a union is of the input's type, and something else is wrong with it. */
const isOfThisType = ([first]: readonly z.core.$ZodIssue[]): boolean =>
  first?.code !== 'invalid_type' || first.path.length > 0;

/** The message of an issue. Of a key that is not valid, zod itself says only that. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  (issue.code === 'invalid_key' && issue.issues[0]?.message) || issue.message;

/** The path to a field in a reply: no longer than `mostPathBytes`. */
export const pathOf = (path: readonly PropertyKey[]): string => {
  const joined = path.map(String).join('.');
  if (Buffer.byteLength(JSON.stringify(joined)) <= mostPathBytes) return joined;
  // A character takes 6 bytes at most, where it has to be escaped.
  return `${joined.slice(0, 15).toWellFormed()}…`;
};
