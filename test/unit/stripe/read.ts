import * as z from 'zod/mini';
import { ApiError } from '../../../lib/errors/errors.ts';
import { stripeEvent as schema } from '../../../lib/stripe/event.ts';
import { type Meaning, readEvent } from '../../../lib/stripe/read-event.ts';
import { stripeEvent } from '../../support/stripe-events.ts';

/** What an event means, read as the consumer reads it. */
export const read = (...given: Parameters<typeof stripeEvent>): Meaning | undefined =>
  readEvent(z.parse(schema, JSON.parse(JSON.stringify(stripeEvent(...given)))));

/** The message that an event means by itself. */
export const messageOf = (...given: Parameters<typeof stripeEvent>) => {
  const meaning = read(...given);
  return meaning && 'message' in meaning ? meaning.message : undefined;
};

/** The field that an event lacks, or that is wrong with it. */
export const faultOf = (...given: Parameters<typeof stripeEvent>): string | undefined => {
  try {
    read(...given);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details?.map(({ path, message }) => `${path} ${message}`).join('; ');
  }
};
