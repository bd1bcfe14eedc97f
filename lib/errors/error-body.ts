import * as z from 'zod/mini';
import { errorCodes, mostDetails, mostPathBytes } from './errors.ts';

/** What is said of an error, wherever it is answered. */
export const errorFields = {
  code: z.enum(errorCodes).check(z.describe('Stable: what to rely on.')),
  message: z
    .string()
    .check(z.minLength(1), z.describe('For people. It may change between versions.')),
  details: z.optional(
    z
      .array(
        z.strictObject({
          path: z
            .string()
            .check(
              z.maxLength(mostPathBytes),
              z.describe('The field or parameter; empty where it is the body as a whole.'),
            ),
          message: z.string(),
          lead_id: z
            .optional(z.uuid())
            .check(
              z.describe(
                'On `duplicate_lead`: the lead that has the contact or external id. On `not_found`: the lead into which this one was merged.',
              ),
            ),
          available_stars: z
            .optional(z.int().check(z.nonnegative()))
            .check(
              z.describe('On `insufficient_stars`: how many stars could be spent or held then.'),
            ),
          spend_limit: z
            .optional(
              z.strictObject({
                kind: z.enum(['spender', 'feature']),
                name: z.string(),
                by_default: z
                  .boolean()
                  .check(z.describe('Whether it is the default of spenders without their own.')),
                period: z.enum(['day', 'week', 'month', 'total']),
                left_stars: z.int().check(z.nonnegative()),
                resets_at: z
                  .nullable(z.iso.datetime())
                  .check(z.describe('When its next period begins; null for `total`.')),
              }),
            )
            .check(z.describe('On `spend_limit_reached`: the limit that leaves the fewest stars.')),
          last_sequence: z
            .optional(z.int().check(z.nonnegative()))
            .check(z.describe('Where `after` is beyond the feed: the number of its last change.')),
          feed_id: z.optional(z.uuid()).check(z.describe('Beside it: the feed that there is now.')),
        }),
      )
      .check(z.maxLength(mostDetails)),
  ),
};

/** The body of every response that is not 2xx. */
export const errorBody = z
  .strictObject({
    error: z.strictObject({
      ...errorFields,
      request_id: z
        .string()
        .check(
          z.minLength(1),
          z.describe('To quote to whoever runs the service; also in `X-Request-Id`.'),
        ),
    }),
  })
  .check(z.meta({ id: 'Error' }));
