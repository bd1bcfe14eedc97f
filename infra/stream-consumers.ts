import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type Function as LambdaFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { newsFor } from '../lib/changes/numbering.ts';
import type { AnyStreamConsumer } from '../lib/operations/stream-consumer.ts';
import { issuerPrefix } from '../lib/table/keys.ts';
import type { ServiceFunction } from './service-function.ts';
import { grantStream } from './table.ts';

const batchSize = 100;

/** What is added to the table, given to functions in batches: at least once, in order for each partition. */
export class StreamConsumers extends Construct {
  readonly consumers: { id: string; lambda: LambdaFunction; dropped: Queue }[] = [];
  readonly #table: ITable;

  constructor(scope: Construct, id: string, table: ITable) {
    super(scope, id);
    this.#table = table;
  }

  /** A batch that fails is given again, half of it at a time, from the first record that failed. */
  addConsumer({ id, partitions }: AnyStreamConsumer, { lambda, role }: ServiceFunction): void {
    const dropped = this.#dropped(id);
    grantStream(this.#table, role);
    const mapping = lambda.addEventSourceMapping(`${id}Stream`, {
      eventSourceArn: this.#table.tableStreamArn ?? '',
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: Duration.millis(newsFor),
      onFailure: new SqsDlq(dropped),
      filters: [added(partitions), heartbeat].map((one) => ({ pattern: JSON.stringify(one) })),
    });
    // Lambda refuses a mapping to a stream that the role may not read yet.
    mapping.node.addDependency(role);
    this.consumers.push({ id, lambda, dropped });
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
const added = (partitions: readonly string[]) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: partitions.map((prefix) => ({ prefix })) } } },
});

/** What the clock writes every five minutes: a consumer that is not even given this stands still. */
const heartbeat = { dynamodb: { Keys: { pk: { S: [{ prefix: issuerPrefix }] } } } };
