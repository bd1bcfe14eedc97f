import type { Context, DynamoDBRecord } from 'aws-lambda';
import type { AnyStreamConsumer } from './operation.ts';

/** Makes the Lambda handler of a stream consumer: a batch of records in, their events out. */
export const serveStream =
  (consumer: AnyStreamConsumer) =>
  async (records: DynamoDBRecord[], context: Context): Promise<unknown[]> => {
    const events = consumer.handle(records);
    console.info({
      operation: consumer.id,
      request_id: context.awsRequestId,
      records: records.length,
      events: events.length,
    });
    return events;
  };
