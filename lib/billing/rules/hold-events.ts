import * as z from 'zod/mini';
import { eventId } from '../terms/fields.ts';
import { purposeInput } from '../terms/purpose.ts';
import { someStars } from '../terms/stars.ts';

/** The longest time that a hold lasts: 7 days, in seconds. */
const longestHoldSeconds = 7 * 24 * 60 * 60;

export const expiresInSeconds = () =>
  z
    .int()
    .check(
      z.gte(1),
      z.lte(longestHoldSeconds),
      z.describe('From now on. Then its stars come back by themselves.'),
    );

const of = <T extends string, F extends z.core.$ZodLooseShape>(type: T, fields: F) =>
  z.strictObject({ type: z.literal(type), event_id: eventId(), ...fields });

/** What is asked of a hold. Its id is the `event_id` of all of it. */
export const holdEvent = z.discriminatedUnion('type', [
  of('stars.held', {
    stars: someStars(),
    expires_in_seconds: expiresInSeconds(),
    ...purposeInput,
  }),
  of('hold.extended', { expires_in_seconds: expiresInSeconds() }),
  of('hold.captured', {
    /** All of the hold by default. */
    stars: z.optional(someStars()),
    /** Whether to take what there is, where that is fewer stars. */
    up_to_available: z.optional(z.boolean()),
  }),
  of('hold.released', {}),
]);
export type HoldEvent = z.output<typeof holdEvent>;
