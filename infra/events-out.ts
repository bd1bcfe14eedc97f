import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FeedConsumer } from '../lib/operations/kinds/background.ts';
import { outbox } from '../lib/table/keys.ts';
import type { ServiceFunction } from './service-function.ts';
import { mapStream } from './stream-mapping.ts';

/** The bus of outgoing events, with the functions that put feed items on it, and the queue of what can't go. */
export class EventsOut extends Construct {
  readonly publishers: LambdaFunction[] = [];
  readonly undelivered: Queue;
  readonly #bus: EventBus;
  readonly #table: ITable;

  constructor(scope: Construct, id: string, table: ITable) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.#table = table;
    this.#bus = new EventBus(this, 'Bus', { eventBusName: `${stackName}-events-out` });
    this.undelivered = this.#makeUndelivered();
    new CfnOutput(Stack.of(this), 'EventsOutBus', { value: this.#bus.eventBusName });
  }

  /** What a publisher is told of the bus and the queue. */
  get environment(): Record<string, string> {
    return {
      EVENTS_OUT_BUS: this.#bus.eventBusName,
      UNDELIVERED_QUEUE_URL: this.undelivered.queueUrl,
    };
  }

  addPublisher({ id }: FeedConsumer, fn: ServiceFunction): void {
    fn.role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['events:PutEvents'], resources: [this.#bus.eventBusArn] }),
    );
    mapStream(this.#table, { id, pattern: numberedItems }, fn, this.undelivered);
    this.publishers.push(fn.lambda);
  }

  /** Told where in the feed or the stream an event is, not what it says: the items themselves stay in the table. */
  #makeUndelivered(): Queue {
    const queue = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue: of a stream’s consumer, which the rule does not know.',
    });
    return queue;
  }
}

/** An event pattern: the records of the stream by which an item of the outbox got its first number, not late. */
const numberedItems = {
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { pk: { S: Object.values(outbox).map((prefix) => ({ prefix })) } },
    NewImage: { sequence: { N: [{ exists: true }] }, late: { BOOL: [{ exists: false }] } },
    OldImage: { sequence: { N: [{ exists: false }] } },
  },
};
