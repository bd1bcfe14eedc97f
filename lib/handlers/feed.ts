import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
} from 'aws-lambda';
import { ApiError } from '../errors/errors.ts';
import type { FeedConsumer } from '../operations/kinds/background.ts';
import { timeBoundsOf } from '../table/retry.ts';
import type { Item } from '../table/table.ts';
import { writeLine } from './log.ts';
import { isHeartbeat } from './stream.ts';

/**
 * Makes the Lambda handler of a consumer of feed items. The records of those that are left are named, so that the
 * stream gives them again.
 */
export const serveFeedItems =
  (consumer: FeedConsumer) =>
  async ({ Records }: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> => {
    const startedAt = Date.now();
    const records = Records.filter((record) => !isHeartbeat(record));
    const recordIds = new Map(records.map((one) => [itemOf(one), one.dynamodb?.SequenceNumber]));
    const items = [...recordIds.keys()];
    const { accepted, setAside, left, why } = await consumer.handle(items, timeBoundsOf(context));
    const failure = left.length > 0 ? new ApiError('unavailable') : undefined;
    const line = {
      operation: consumer.id,
      request_id: context.awsRequestId,
      records: items.length,
      events: accepted,
      ...(setAside > 0 && { undelivered: setAside }),
      ...(failure && { outcome: 'retried' as const, code: failure.code }),
      ...(why && { why }),
      duration_ms: Date.now() - startedAt,
      capacity_units: 0,
    };
    if (items.length > 0) writeLine(line, failure);
    return {
      batchItemFailures: left.map((item) => ({ itemIdentifier: recordIds.get(item) ?? '' })),
    };
  };

// The types of the record and of the SDK differ in how they spell bytes, and nothing here has any.
const itemOf = ({ dynamodb }: DynamoDBRecord): Item =>
  unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>);
