import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { ApiError } from '../../errors/errors.ts';
import type { Wake, Wakes } from '../../operations/wakes.ts';

/** The form of a wake as the queue brings it. */
export const wake = z.strictObject({
  organization_id: z.uuid(),
  webhook_id: z.optional(z.uuid()),
}) satisfies z.core.$ZodType<Wake>;

/**
 * SQS answers in milliseconds; what takes longer than this is most likely lost, and is sent again. Three attempts have to
 * end in the two and a half seconds that may be left to a function.
 */
const answerTimeoutMs = 700;

/** Opens the queue that the environment names in `WAKES_QUEUE_URL`. */
export const openWakes = (): Wakes => {
  const client = new SQSClient({
    maxAttempts: 3,
    // The address of SQS is the region's, or the environment's: `AWS_ENDPOINT_URL_SQS`.
    useQueueUrlAsEndpoint: false,
    requestHandler: { connectionTimeout: answerTimeoutMs, socketTimeout: answerTimeoutMs },
  });
  return {
    async send(message, delayMs = 0) {
      const command = new SendMessageCommand({
        QueueUrl: process.env.WAKES_QUEUE_URL,
        MessageBody: JSON.stringify(message),
        DelaySeconds: Math.ceil(Math.max(0, delayMs) / 1000),
        // A fair queue: whoever takes more than a tenth of the workers' time comes after all others.
        MessageGroupId: message.organization_id,
      });
      try {
        await client.send(command);
      } catch (error) {
        throw new ApiError('unavailable', { cause: error });
      }
    },
  };
};
