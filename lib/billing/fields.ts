import * as z from 'zod/mini';
import { text } from '../schema/fields.ts';

const id = () =>
  z.string().check(z.regex(/^[\w.:-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ : -'));

/** Chosen by whoever makes the event: it changes a wallet once. A hold's id is one, too. */
export const eventId = id;

/** Billing's own name for a subscription. */
export const subscriptionId = id;

/** The reason, in the caller's own words. */
export const reason = () => text(200);

/** What is subscribed to: the name of a plan. */
export const tier = () => text(50);

/** Billing's own word for the state of a subscription. */
export const status = () => text(50);
