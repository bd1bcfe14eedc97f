import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FeedConsumer } from '../lib/operations/kinds/background.ts';
import { outbox } from '../lib/table/keys.ts';
import type { ServiceFunction } from './service-function.ts';
import { makeDroppedQueue, mapStream } from './stream-mapping.ts';

/** The bus of outgoing events, with the functions that put feed items on it, and the queue of what can't go. */
export class EventsOut extends Construct {
  readonly publishers: LambdaFunction[] = [];
  /** Told where in the feed or the stream an event is that can't go. */
  readonly undelivered: Queue;
  readonly #bus: EventBus;
  readonly #table: ITable;

  constructor(scope: Construct, id: string, table: ITable) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.#table = table;
    this.#bus = new EventBus(this, 'Bus', { eventBusName: `${stackName}-events-out` });
    const removalPolicy = RemovalPolicy.RETAIN;
    this.undelivered = makeDroppedQueue(this, 'Undelivered', { removalPolicy });
    new CfnOutput(Stack.of(this), 'EventsOutBus', { value: this.#bus.eventBusName });
  }

  /** Environment variables that tell a publisher of the bus and the queue. */
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
