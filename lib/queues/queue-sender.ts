import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ApiError } from '../errors/errors.ts';

/**
 * SQS answers in milliseconds; what takes longer than this is most likely lost, and is sent again. Three attempts have to
 * end in the two and a half seconds that may be left to a function.
 */
const answerTimeoutMs = 700;

interface SendOptions {
  /** Whose message it is. */
  group: string;
  delaySeconds?: number;
}

/** Sends messages to one of the service's own queues. */
export interface QueueSender {
  /** Throws `unavailable`. */
  send(message: object, options: SendOptions): Promise<void>;
}

/** Opens the queue whose URL the environment has in this variable. */
export const openQueueSender = (variable: string): QueueSender => {
  const client = new SQSClient({
    maxAttempts: 3,
    // The address of SQS is the region's, or the environment's: `AWS_ENDPOINT_URL_SQS`.
    useQueueUrlAsEndpoint: false,
    requestHandler: { connectionTimeout: answerTimeoutMs, socketTimeout: answerTimeoutMs },
  });
  return {
    async send(message, { group, delaySeconds }) {
      const command = new SendMessageCommand({
        QueueUrl: process.env[variable],
        MessageBody: JSON.stringify(message),
        ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
        MessageGroupId: group,
      });
      try {
        await client.send(command);
      } catch (error) {
        throw new ApiError('unavailable', { cause: error });
      }
    },
  };
};
