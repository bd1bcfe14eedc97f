import * as z from 'zod/mini';
import { type ApiError, invalid } from '../errors/errors.ts';
import { parseInput } from '../schema/issues.ts';

/** The last second of the year 9999: no wallet tells a later time. */
const lastSecond = 253_402_300_799;

/** A moment of Stripe's: whole seconds since the epoch. */
export const seconds = () => z.int().check(z.nonnegative(), z.lte(lastSecond));

/** An event, whatever it is of. Schemas here read the fields that are needed, and let all others be. */
export const stripeEvent = z.object({
  id: z.string(),
  type: z.string(),
  created: seconds(),
  livemode: z.boolean(),
  /** The connected account that the event is of. Events of your own account have none. */
  account: z.optional(z.nullable(z.string())),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});
export type StripeEvent = z.output<typeof stripeEvent>;

/** An id, also where the whole object stands in its place. */
export const reference = () =>
  z.pipe(
    z.union([z.string(), z.object({ id: z.string() })]),
    z.transform((one: string | { id: string }) => (typeof one === 'string' ? one : one.id)),
  );

/** A price by its id, or whole. `isOdd`: it counts otherwise than by the units that were bought. */
export const price = () =>
  z.pipe(
    z.union([z.string(), wholePrice]),
    z.transform((one: string | z.output<typeof wholePrice>) =>
      typeof one === 'string'
        ? { id: one, isOdd: false }
        : { id: one.id, isOdd: Boolean(one.transform_quantity) || isMetered(one) },
    ),
  );

const wholePrice = z.object({
  id: z.string(),
  transform_quantity: z.optional(z.unknown()),
  recurring: z.optional(z.nullable(z.object({ usage_type: z.optional(z.string()) }))),
});

const isMetered = ({ recurring }: z.output<typeof wholePrice>): boolean =>
  recurring?.usage_type === 'metered';

/** Whoever made an object's metadata says there whose it is, and what it gives. */
export const metadata = () => z.optional(z.nullable(z.record(z.string(), z.string())));

/** An event for a wallet, as the bus of billing would bring it. Its fields are not checked yet. */
export interface WalletMessage {
  type: string;
  organization_id: string;
  event_id: string;
  [field: string]: unknown;
}

/** The meaning of an event that says all by itself. */
export interface WholeMeaning {
  message: WalletMessage;
}

/** Whoever has a connected account writes its metadata, and gets its money. */
export const assertOwnAccount = ({ account }: StripeEvent): void => {
  if (account) throw invalid('account', 'is a connected account, whose sales give no stars');
};

/** The object of an event. Throws `invalid_request` with what is wrong with it. */
export const objectOf = <S extends z.core.$ZodType>(
  schema: S,
  { data }: StripeEvent,
): z.core.output<S> => parseInput(schema, data.object);

/** `invalid_request` for an object that has a part of our metadata, but not this. */
export const missing = (key: string): ApiError =>
  invalid(`metadata.${key}`, 'is missing, and other metadata of ours is there');

/**
 * When something happened, in milliseconds since the epoch. Stripe tells whole seconds: within the same second, the
 * higher rank came last.
 */
export const momentOf = (second: number, rank = 0): number => second * 1000 + rank;

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();
