import * as z from 'zod/mini';
import { openQueueSender } from '../operations/queue-sender.ts';
import type { Wake, Wakes } from '../operations/wakes.ts';

/** The form of a wake as the queue brings it. */
export const wake = z.strictObject({
  organization_id: z.uuid(),
  consumer: z.optional(z.string()),
  id: z.optional(z.string()),
}) satisfies z.core.$ZodType<Wake>;

/** Opens the queue that the environment names in `WAKES_QUEUE_URL`. */
export const openWakes = (): Wakes => {
  const queue = openQueueSender('WAKES_QUEUE_URL');
  return {
    send: (message, delayMs = 0) =>
      queue.send(message, {
        // A fair queue: whoever takes more than a tenth of the workers' time comes after all others.
        group: message.organization_id,
        delaySeconds: Math.ceil(Math.max(0, delayMs) / 1000),
      }),
  };
};
