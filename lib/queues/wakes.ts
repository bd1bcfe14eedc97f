import * as z from 'zod/mini';
import { openQueueSender } from './queue-sender.ts';

/**
 * Wakes the workers for what follows an organization's feed, or for one follower, as the queue brings it. Sent twice, it
 * does no more than once.
 */
export const wake = z.strictObject({
  organization_id: z.uuid(),
  /** The consumer, and the id of its follower. Without them, all of the organization. */
  consumer: z.optional(z.string()),
  id: z.optional(z.string()),
});
export type Wake = z.output<typeof wake>;

/** Sends wakes to the queue of the workers. */
export interface Wakes {
  /** `delayMs` is at most 15 minutes, which is as long as SQS waits. Throws `unavailable`. */
  send(wake: Wake, delayMs?: number): Promise<void>;
}

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
