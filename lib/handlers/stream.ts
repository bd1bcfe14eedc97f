import type { Context, DynamoDBRecord } from 'aws-lambda';
import type { AnyStreamConsumer } from '../operations/operation.ts';
import { writeLine } from './log.ts';

/** Makes the Lambda handler of a stream consumer: a batch of records in, their events out. */
export const serveStream =
  (consumer: AnyStreamConsumer) =>
  async (records: DynamoDBRecord[], context: Context): Promise<unknown[]> => {
    const startedAt = Date.now();
    const events = consumer.handle(records);
    writeLine({
      operation: consumer.id,
      request_id: context.awsRequestId,
      records: records.length,
      events: events.length,
      duration_ms: Date.now() - startedAt,
      capacity_units: 0,
    });
    return events;
  };
