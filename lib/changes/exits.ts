import {
  EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { feedPositionOf, type OutgoingEvent } from './outgoing-event.ts';
import type { Exits, PutOutcome } from './publish.ts';

/** EventBridge and SQS answer in milliseconds; what takes longer than this is most likely lost, and is sent again. */
const responseTimeoutMs = 2000;

/** Codes of an entry for which the bus is the cause, and not the event: it may be accepted later, or once that is mended. */
const busCodes = new Set([
  'InternalFailure',
  'ThrottlingException',
  'AccessDeniedException',
  'NotAuthorizedForSourceException',
  'ResourceNotFoundException',
]);

/** Opens the bus and the queue that the environment names in `EVENTS_OUT_BUS` and `UNDELIVERED_QUEUE_URL`. */
export const openExits = (): Exits => {
  const requestHandler = { connectionTimeout: responseTimeoutMs, socketTimeout: responseTimeoutMs };
  // `publishEvents` tries again.
  const bus = new EventBridgeClient({ maxAttempts: 1, requestHandler });
  const queue = new SQSClient({ maxAttempts: 1, useQueueUrlAsEndpoint: false, requestHandler });

  const put = async (events: readonly OutgoingEvent[], endMs: number): Promise<PutOutcome[]> => {
    const EventBusName = process.env.EVENTS_OUT_BUS;
    const Entries = events.map(({ entry }) => ({ ...entry, EventBusName }));
    const abortSignal = AbortSignal.timeout(Math.max(1, endMs - Date.now()));
    try {
      const response = await bus.send(new PutEventsCommand({ Entries }), { abortSignal });
      return events.map((_, i) => outcomeOf(response.Entries?.[i]));
    } catch (error) {
      const code = error instanceof Error ? error.name : 'no answer';
      const status =
        error instanceof EventBridgeServiceException ? error.$metadata.httpStatusCode : undefined;
      const isOfContent = code === 'ValidationException' || status === 413;
      if (!isOfContent) return events.map(() => ({ kind: 'later', code }));
      if (events.length === 1) return [{ kind: 'refused', code }];
      // One of them is the cause: each is of another lane, and may go alone.
      return (await Promise.all(events.map((one) => put([one], endMs)))).flat();
    }
  };

  return {
    put,
    async setAside(event, why) {
      const MessageBody = JSON.stringify({ why, ...feedPositionOf(event) });
      const QueueUrl = process.env.UNDELIVERED_QUEUE_URL;
      await queue.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    },
  };
};

/** The outcome of one entry of PutEvents. */
export const outcomeOf = ({ EventId, ErrorCode }: PutEventsResultEntry = {}): PutOutcome => {
  if (EventId) return { kind: 'accepted' };
  const code = ErrorCode ?? 'no answer';
  return { kind: ErrorCode && !busCodes.has(ErrorCode) ? 'refused' : 'later', code };
};
