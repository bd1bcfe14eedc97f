import type * as z from 'zod/mini';
import { mostDetails } from '../errors/errors.ts';
import { perhaps } from '../errors/nearest.ts';

const formats: Record<string, string> = {
  uuid: 'must be a UUID',
  guid: 'must be a UUID',
  datetime: 'must be a date and time with Z or an offset, as 2026-11-21T09:00:00Z',
  date: 'must be a date, as 2026-11-21',
};

const types: Record<string, string> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The unit that is counted where a limit is not of the value itself. */
const units: Record<string, string> = { string: 'character', array: 'item' };

/** The problem of an issue, for people who do not know zod. If undefined, zod says “Invalid input”. */
export const issueMessage = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return describeType(isWhole(issue) ? 'int' : issue.expected);
    case 'too_small':
      return describeLimit(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum);
    case 'too_big':
      return describeLimit(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum);
    case 'invalid_value':
      return describeChoice(issue.values);
    case 'invalid_union':
      return issue.options
        ? describeChoice(issue.options as unknown[])
        : describeUnion(issue.errors as z.core.$ZodIssue[][]);
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : formats[issue.format];
    case 'unrecognized_keys':
      return describeUnknown(issue.keys as string[], shapeOf(issue));
    default:
      return undefined;
  }
};

/** The names of the fields of the object that has the issue. */
const shapeOf = ({ inst }: z.core.$ZodRawIssue): string[] =>
  Object.keys((inst?._zod.def as { shape?: object } | undefined)?.shape ?? {});

/** A line for each key. */
const describeUnknown = (
  keys: readonly string[],
  names: readonly string[],
  hints: Hints = new Map(),
): string =>
  keys
    .slice(0, mostDetails)
    .map((key) => `is not known here${hints.get(key) ?? perhaps(key, names)}`)
    .join('\n');

/** What is said of a field that is not known here, and may be elsewhere. */
type Hints = ReadonlyMap<string, string>;

/** The messages of an object, with hints where people send what it has not. */
export const withHints =
  (hints: Hints) =>
  (issue: z.core.$ZodRawIssue): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? describeUnknown(issue.keys as string[], shapeOf(issue), hints)
      : issueMessage(issue);

/** zod asks for any number first, also where only a whole number will do. */
const isWhole = ({ inst }: z.core.$ZodRawIssue): boolean =>
  (inst?._zod.def as { format?: string } | undefined)?.format === 'safeint';

const describeType = (type: string): string | undefined => types[type] && `must be ${types[type]}`;

const describeLimit = (origin: string, relation: string, limit: number | bigint): string => {
  const unit = units[origin];
  if (!unit) return `must be ${relation} ${limit}`;
  return `must have ${relation} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
};

const describeChoice = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;

const describeUnion = (options: readonly z.core.$ZodIssue[][]): string =>
  `must be ${options.map(([first]) => first?.message.replace('must be ', '')).join(' or ')}`;
