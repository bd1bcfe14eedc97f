import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AnyStreamConsumer } from '../lib/operations/kinds/stream-consumer.ts';
import type { ServiceFunction } from './service-function.ts';
import { mapStream } from './stream-mapping.ts';

/** What is added to the table, given to functions. */
export class StreamConsumers extends Construct {
  readonly consumers: { id: string; lambda: LambdaFunction; dropped: Queue }[] = [];
  readonly #table: ITable;

  constructor(scope: Construct, id: string, table: ITable) {
    super(scope, id);
    this.#table = table;
  }

  addConsumer({ id, partitions }: AnyStreamConsumer, fn: ServiceFunction): void {
    const dropped = this.#dropped(id);
    mapStream(this.#table, { id, pattern: additions(partitions) }, fn, dropped);
    this.consumers.push({ id, lambda: fn.lambda, dropped });
  }

  /** Told where in the stream it was, not what: the items themselves stay in the table. */
  #dropped(id: string): Queue {
    const queue = new Queue(this, `${id}Dropped`, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue: of a stream’s consumer, which the rule does not know.',
    });
    return queue;
  }
}

/** An event pattern: the records of the stream that are something new in these partitions. */
const additions = (partitions: readonly string[]) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: partitions.map((prefix) => ({ prefix })) } } },
});
