import * as z from 'zod/mini';
import { invalid } from '../../../errors/errors.ts';
import { mostFilterable } from '../../../fields/definition.ts';
import { fieldKey, mostTextCharacters } from '../../../fields/values.ts';
import type { Call } from '../../../operations/request.ts';
import { mostStages, stageOutcomes } from '../../../pipelines/pipeline.ts';
import { email, text, uuid } from '../../../schema/fields.ts';
import { wholeNumber } from '../../../schema/pages.ts';
import { queryParameter } from '../../../schema/query-parameter.ts';
import { ownersOrders } from '../../../table/indexes/lead-indexes.ts';
import { externalId, phone } from '../../lead.ts';
import { tag } from '../../tags.ts';
import { absentIn, type Filters } from './filters.ts';
import { type Order, type Sort, sorts } from './orders.ts';
import { rangedFields, rangeNames } from './ranges.ts';

/**
 * A date and time with its offset, as milliseconds since the epoch. What leads have is in whole milliseconds.
 * So a time with a fraction of a millisecond is rounded up to the next.
 */
const moment = () =>
  z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform((value: string) => {
      const hasFraction = /\.\d{3}\d*[1-9]/.test(value);
      return Date.parse(value) + (hasFraction ? 1 : 0);
    }),
  );

const cents = () => wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** One end of a range. */
const bound = <T>(schema: z.ZodMiniType<T, string>, description: string) =>
  z.optional(queryParameter(schema)).check(z.describe(description));

/** The caller, as an owner. */
const me = 'me';
/** Stands in place of a value, for leads that have none. */
const none = 'none';
const isWord = (text: string) => text === me || text === none;

const owner = () =>
  z.pipe(
    z.string().check(
      z.refine((text) => isWord(text) || z.safeParse(z.guid(), text).success, {
        error: 'must be the id of a user, a UUID, me or none',
      }),
      z.meta({ documentedAs: z.union([z.enum([me, none]), z.guid()]) }),
    ),
    z.transform((text: string) => (text === none ? null : text.toLowerCase())),
  );

/** A value, or `none`, which becomes null. */
const orNone = <T>(value: z.ZodMiniType<T, string>, documented: z.ZodMiniType<unknown, string>) =>
  z
    .union([
      value,
      z.pipe(
        z.literal(none),
        z.transform(() => null),
      ),
    ])
    .check(z.meta({ documentedAs: z.union([documented, z.literal(none)]) }));

/** A filter that lists leads without this. Programs that send all parameters send an empty text: it filters nothing. */
const withoutThis = (what: string, range: string) => {
  const noneOrEmpty = z.pipe(
    z.enum([none, ''], {
      error: `must be none; what they have is for ${range}_from and ${range}_to`,
    }),
    z.transform((text) => (text === none ? null : undefined)),
  );
  return z.optional(queryParameter(noneOrEmpty)).check(z.describe(`\`none\`: without ${what}.`));
};

/** A `+` in an address arrives as a space, unless it is written as `%2B`. No phone begins with a space: so it is a `+`. */
const phoneInAddress = () =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text: string) => text.replace(/^ /, '+')),
    ),
    phone(),
  );

/** The query parameters that filter leads: all that are given must hold. */
export const leadFilters = {
  pipeline_id: z.optional(queryParameter(uuid())),
  stage: z
    .optional(z.array(text(50)).check(z.maxLength(mostStages)))
    .check(z.describe('Repeatable, as `stage=a&stage=b`: a lead must be in one of them.')),
  owner_id: z
    .optional(queryParameter(owner()))
    .check(z.describe('A user, `me`: the user who calls, or `none`: without an owner.')),
  external_id: z.optional(queryParameter(externalId())).check(z.describe('Just this one.')),
  email: z
    .optional(queryParameter(orNone(email(), email())))
    .check(z.describe('Just this one, in any case of letters, or `none`: without one.')),
  phone: z
    .optional(queryParameter(orNone(phoneInAddress(), phone())))
    .check(z.describe('Just this one, in E.164 form, or `none`: without one.')),
  next_step_at: withoutThis('a next step', 'next_step'),
  value_cents: withoutThis('a value', 'value'),
  tag: z
    .optional(z.array(tag()).check(z.maxLength(20)))
    .check(z.describe('Repeatable, as `tag=a&tag=b`: a lead must have all of them.')),
  fields: z
    .optional(
      z.record(fieldKey(), queryParameter(text(mostTextCharacters))).check(
        z.refine((all) => Object.keys(all).length <= mostFilterable, {
          error: `must have at most ${mostFilterable} fields`,
        }),
        z.meta({ documentedAs: z.record(fieldKey(), text(mostTextCharacters)) }),
      ),
    )
    .check(
      z.describe(
        'By custom fields that are filterable: `fields[source]=google`. A lead must have all of the values.',
      ),
    ),
  outcome: z
    .optional(queryParameter(z.enum(stageOutcomes)))
    .check(z.describe('In a stage of this outcome.')),
  created_from: bound(moment(), 'Created then or later.'),
  created_to: bound(moment(), 'Created before then.'),
  updated_from: bound(moment(), 'Last changed then or later.'),
  updated_to: bound(moment(), 'Not changed from then on: last changed before.'),
  stage_entered_from: bound(moment(), 'In the stage since then or later.'),
  stage_entered_to: bound(moment(), 'In the stage since before then.'),
  next_step_from: bound(moment(), 'The next step is due then or later.'),
  next_step_to: bound(moment(), 'The next step is due before then.'),
  value_from: bound(cents(), 'Of this value in cents or more.'),
  value_to: bound(cents(), 'Of less than this value in cents.'),
};
const filters = z.object(leadFilters);

const ownersOnly = ownersOrders.map((order) => `\`${order}\``).join(', ');

/** How a list of leads can be sorted. */
export const sortParameter = () =>
  z.optional(queryParameter(z.enum(sorts))).check(
    z.meta({
      description: `Ascending, or with \`-\` descending. Only leads that have the field are listed. Needs \`owner_id\`, unless the other filters leave 1,000 leads or fewer: ${ownersOnly}.`,
      default: '-created_at' satisfies Sort,
    }),
  );

/**
 * The filters in the parameters of a caller's request. Throws `invalid_request` if nothing can be in a range, and where
 * an API key says `me`.
 */
export const toFilters = (
  { tag: tags = [], stage: stages, owner_id, ...fields }: z.output<typeof filters>,
  { userId, apiKey }: Pick<Call, 'userId' | 'apiKey'>,
): Filters => {
  assertRanges(fields);
  if (owner_id === me && apiKey) {
    throw invalid('owner_id', 'can be me for a user only: an API key has to name the user');
  }
  return {
    ...fields,
    stages,
    owner_id: owner_id === me ? userId : owner_id,
    tags,
    created_from: sinceEpochMs(fields.created_from),
    created_to: sinceEpochMs(fields.created_to),
  };
};

/** Throws where a range has nothing in it, or is of a field that the leads must not have. */
const assertRanges = (fields: Partial<z.output<typeof filters>>): void => {
  for (const name of rangeNames) {
    const [from, to] = [fields[`${name}_from`], fields[`${name}_to`]];
    if (Number(from) >= Number(to)) {
      throw invalid(`${name}_to`, `must be ${name === 'value' ? 'above' : 'after'} ${name}_from`);
    }
    const field = rangedFields[name];
    if (
      (from ?? to) !== undefined &&
      field in fields &&
      fields[field as keyof typeof fields] === null
    ) {
      throw invalid(field, `can’t be none beside ${name}_from or ${name}_to`);
    }
  }
};

/** Throws where leads are sorted by a field that they must not have. */
export const assertSortable = (filters: Filters, { field }: Order): void => {
  if (absentIn(filters).some((absent) => absent === field)) {
    throw invalid(
      'sort',
      `can’t be ${field} beside ${field}=none: only leads that have it are listed`,
    );
  }
};

/** Ids have no time before 1970. */
const sinceEpochMs = (moment: number | undefined): number | undefined =>
  moment === undefined ? undefined : Math.max(0, moment);
