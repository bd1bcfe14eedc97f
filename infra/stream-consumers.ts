import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { groupsOfOrganization } from '../lib/handlers/handed-over.ts';
import type { AnyStreamConsumer } from '../lib/operations/kinds/background.ts';
import { requestTimeout, type ServiceFunction } from './service-function.ts';
import { makeDroppedQueue, mapStream } from './stream-mapping.ts';

/** How often a message is delivered before it is a dead letter: about an hour, by the queue's visibility timeout. */
const maxReceiveCount = 60;
/** Organizations that are numbered at the same time at most. */
const organizationsAtOnce = 20;

const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

// docs/decisions/facts.md
/** The functions that read the table's stream, and the queue of the records that they hand over. */
export class StreamConsumers extends Construct {
  readonly consumers: { id: string; lambda: LambdaFunction; dropped: Queue }[] = [];
  readonly handedOver: Queue;
  readonly deadLetters: Queue;
  readonly #table: ITable;

  constructor(scope: Construct, id: string, table: ITable) {
    super(scope, id);
    this.#table = table;
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      fifo: true,
      retentionPeriod: Duration.days(14),
    });
    this.handedOver = new Queue(this, 'HandedOver', {
      ...common,
      fifo: true,
      // Messages with equal keys ask for equal work.
      contentBasedDeduplication: true,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      retentionPeriod: Duration.days(4),
      // Six times what the function has, as Lambda asks for.
      visibilityTimeout: Duration.seconds(6 * requestTimeout.toSeconds()),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }

  /** Environment variables that tell a consumer of the queue. */
  get environment(): Record<string, string> {
    return { HANDED_OVER_QUEUE_URL: this.handedOver.queueUrl };
  }

  addConsumer({ id, partitions }: AnyStreamConsumer, fn: ServiceFunction): void {
    const dropped = makeDroppedQueue(this, `${id}Dropped`);
    mapStream(this.#table, { id, pattern: additions(partitions) }, fn, dropped);
    fn.role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.handedOver.queueArn] }),
    );
    fn.lambda.addEventSource(
      new SqsEventSource(this.handedOver, {
        batchSize: 10,
        maxConcurrency: groupsOfOrganization * organizationsAtOnce,
        reportBatchItemFailures: true,
      }),
    );
    this.consumers.push({ id, lambda: fn.lambda, dropped });
  }
}

/** An event pattern: the records of the stream that are something new in these partitions. */
const additions = (partitions: readonly string[]) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: partitions.map((prefix) => ({ prefix })) } } },
});
