import * as z from 'zod/mini';
import { invalid } from '../../errors/errors.ts';
import { mostFilterable } from '../../fields/definition.ts';
import { fieldKey, mostTextCharacters } from '../../fields/values.ts';
import { email, text, userId, uuid } from '../../schema/fields.ts';
import { queryParameter } from '../../schema/query-parameter.ts';
import { externalId, phone } from '../lead.ts';
import { tag } from '../tags.ts';
import type { Filters } from './index-ranges.ts';

/**
 * A date and time with its offset, as milliseconds since the epoch. Leads are created at whole milliseconds. So a
 * time with a fraction of one is rounded up to the next.
 */
const moment = () =>
  z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform((value: string) => {
      const hasFraction = /\.\d{3}\d*[1-9]/.test(value);
      return Date.parse(value) + (hasFraction ? 1 : 0);
    }),
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
  owner_id: z.optional(queryParameter(userId())),
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
  created_from: z.optional(queryParameter(moment())).check(z.describe('Created then or later.')),
  created_to: z.optional(queryParameter(moment())).check(z.describe('Created before then.')),
};
const filters = z.object(leadFilters);

/** Throws `invalid_request` if no time can be in the given range. */
export const toFilters = ({
  tag: tags = [],
  created_from,
  created_to,
  ...fields
}: z.output<typeof filters>): Filters => {
  if (Number(created_from) >= Number(created_to)) {
    throw invalid('created_to', 'must be after created_from');
  }
  return {
    ...fields,
    tags,
    created_from: sinceEpochMs(created_from),
    created_to: sinceEpochMs(created_to),
  };
};

/** Ids have no time before 1970. */
const sinceEpochMs = (moment: number | undefined): number | undefined =>
  moment === undefined ? undefined : Math.max(0, moment);
