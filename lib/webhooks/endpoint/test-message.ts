import * as z from 'zod/mini';

export const testType = 'webhook.test';

/** The body of a test. It is no change, and has no place in the feed. */
export const testBody = z
  .strictObject({
    event_id: z.uuid().check(z.describe('The `delivery_id` of the test.')),
    type: z.literal(testType),
    at: z.iso.datetime().check(z.describe('When the test was asked for.')),
    organization_id: z.uuid(),
    webhook_id: z.uuid(),
  })
  .check(z.meta({ id: 'WebhookTestMessage' }));
export type TestBody = z.output<typeof testBody>;
