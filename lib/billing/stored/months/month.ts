import * as z from 'zod/mini';

/** A month of a wallet, in milliseconds since the epoch. */
export const storedMonth = z.object({
  from: z.number(),
  /** The month ends earlier where another month begins. */
  until: z.number(),
  /** When the whole month would have begun, of which this is a part: shares are of the time from here on. */
  whole_from: z.number(),
});
export type Month = z.output<typeof storedMonth>;
