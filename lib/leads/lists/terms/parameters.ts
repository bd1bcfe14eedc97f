import * as z from 'zod/mini';
import { invalid } from '../../../errors/errors.ts';
import { mostFilterable } from '../../../fields/definition.ts';
import { fieldKey, mostTextCharacters } from '../../../fields/values.ts';
import type { Call } from '../../../operations/request.ts';
import { stageOutcomes } from '../../../pipelines/pipeline.ts';
import { email, text, uuid } from '../../../schema/fields.ts';
import { wholeNumber } from '../../../schema/pages.ts';
import { queryParameter } from '../../../schema/query-parameter.ts';
import { externalId, phone } from '../../lead.ts';
import { tag } from '../../tags.ts';
import type { Filters } from './filters.ts';
import { type Sort, sorts } from './orders.ts';
import { rangeNames } from './ranges.ts';

/**
 * A date and time with its offset, as milliseconds since the epoch. What leads have is in whole milliseconds.
 * So a time with a fraction of one is rounded up to the next.
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

const owner = () =>
  z.pipe(
    z.string().check(
      z.refine((text) => text === me || z.safeParse(z.guid(), text).success, {
        error: 'must be the id of a user, a UUID, or me',
      }),
      z.meta({ documentedAs: z.union([z.literal(me), z.guid()]) }),
    ),
    z.transform((text: string) => text.toLowerCase()),
  );

/** A `+` in an address arrives as a space, unless it is written as `%2B`. No phone begins with a space: so it is a `+`. */
const phoneInAddress = () =>
  z.pipe(
    z.transform((text: string) => text.replace(/^ /, '+')),
    phone(),
  );

/** The query parameters that filter leads: all that are given must hold. */
export const leadFilters = {
  pipeline_id: z.optional(queryParameter(uuid())),
  stage: z.optional(queryParameter(text(50))),
  owner_id: z
    .optional(queryParameter(owner()))
    .check(z.describe('A user, or `me`: the user who calls.')),
  external_id: z.optional(queryParameter(externalId())).check(z.describe('Just this one.')),
  email: z
    .optional(queryParameter(email()))
    .check(z.describe('Just this one, in any case of letters.')),
  phone: z
    .optional(queryParameter(phoneInAddress()))
    .check(z.describe('Just this one, in E.164 form.')),
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

/** How a list of leads can be sorted. */
export const sortParameter = () =>
  z.optional(queryParameter(z.enum(sorts))).check(
    z.meta({
      description:
        'With `-`, the latest or largest first. Only leads that have the field are listed. `next_step_at` needs `owner_id`, but where the other filters leave 200 leads or fewer.',
      default: '-created_at' satisfies Sort,
    }),
  );

/**
 * What the parameters of a caller's request filter by. Throws `invalid_request` if nothing can be in a range, and where an API key
 * says `me`.
 */
export const toFilters = (
  { tag: tags = [], owner_id, ...fields }: z.output<typeof filters>,
  { userId, apiKey }: Pick<Call, 'userId' | 'apiKey'>,
): Filters => {
  for (const name of rangeNames) {
    const [from, to] = [fields[`${name}_from`], fields[`${name}_to`]];
    if (Number(from) >= Number(to)) {
      throw invalid(`${name}_to`, `must be ${name === 'value' ? 'above' : 'after'} ${name}_from`);
    }
  }
  if (owner_id === me && apiKey) {
    throw invalid('owner_id', 'can be me for a user only: an API key has to name the user');
  }
  return {
    ...fields,
    owner_id: owner_id === me ? userId : owner_id,
    tags,
    created_from: sinceEpochMs(fields.created_from),
    created_to: sinceEpochMs(fields.created_to),
  };
};

/** Ids have no time before 1970. */
const sinceEpochMs = (moment: number | undefined): number | undefined =>
  moment === undefined ? undefined : Math.max(0, moment);
