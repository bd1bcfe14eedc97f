import * as z from 'zod/mini';
import { dateTime, shortName, text } from '../../schema/fields.ts';

const id = () =>
  z
    .string()
    .check(
      z.regex(
        /^(?!\.{1,2}$)[\w.:-]{1,128}$/,
        'must be 1 to 128 of A-Z a-z 0-9 . _ : -, and not . or ..',
      ),
    );

/** Chosen by whoever makes the event: it changes a wallet once. A hold's id is an event id, too. */
export const eventId = id;

/** How the ids of Stripe's events begin. Nobody else may choose such an id. */
export const stripePrefix = 'stripe:';
const free = new RegExp(`^(?!\\.{1,2}$|${stripePrefix})[\\w.:-]{1,128}$`);

/** The id of an event or a hold that whoever asks for it chooses. */
export const ownEventId = () =>
  z
    .string()
    .check(
      z.regex(
        free,
        `must be 1 to 128 of A-Z a-z 0-9 . _ : -, not . or .., and not begin with ${stripePrefix}`,
      ),
    );

/** An event's id in a path, where a client may have written a character as its code, such as `%3A`. */
export const eventIdInPath = () => z.pipe(z.transform(decodeEscapes), id());
export const ownEventIdInPath = () => z.pipe(z.transform(decodeEscapes), ownEventId());

/** A text with a `%` that begins no escape stays as it is. */
const decodeEscapes = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What stars are for. */
export const feature = shortName;

/** Who uses stars: a member, a key, a device: whatever the caller means. */
export const spender = shortName;

/** The name of a feature or spender in a path, where `.` and `..` would be lost. */
export const limitName = () =>
  z.pipe(
    z.transform(decodeEscapes),
    shortName().check(
      z.refine((name) => name !== '.' && name !== '..', { error: 'must not be . or ..' }),
    ),
  );

/** Billing's own name for a subscription. */
export const subscriptionId = id;

/** A client's last moment for a try: after it, the try changes nothing. */
export const notAfter = () =>
  dateTime().check(
    z.describe(
      'If the wallet’s time is later when the try is decided, it is 409 `too_late`. It is no part of the content: a repeat may have another one.',
    ),
  );

/** Billing's own name for a payment. */
export const paymentId = id;

/** Stripe's name for a price. */
export const priceId = id;

/** The reason, in the caller's own words. */
export const reason = () => text(200);

/** What is subscribed to: the name of a plan. */
export const tier = () => text(50);

/** A plan's tier. It is part of a path, where a client could lose other characters. */
export const planTier = () =>
  z
    .string()
    .check(
      z.regex(
        /^(?!\.{1,2}$)[\w.-]{1,50}$/,
        'must be 1 to 50 of A-Z a-z 0-9 . _ -, and not . or ..',
      ),
    );

/** Billing's own word for the state of a subscription. */
export const status = () => text(50);
