import { Duration, type Stack, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { freshnessMs, mostAtOnce } from '../lib/changes/numbering.ts';
import { issuerPrefix } from '../lib/table/keys.ts';
import type { ServiceFunction } from './service-function.ts';
import { grantStream } from './table.ts';

/**
 * How many functions the table's stream is given to at most: DynamoDB throttles whoever reads a shard beside two others.
 * A third function has its work from one of the two, as the webhook worker has, or from the bus of outgoing events.
 */
const mostReaders = 2;

const assertRoomForReader = (stack: Stack): void => {
  const readers = stack.node
    .findAll()
    .filter((one) => one instanceof CfnEventSourceMapping && one.startingPosition !== undefined);
  if (readers.length < mostReaders) return;
  throw new Error(
    `the table’s stream has ${mostReaders} readers, and DynamoDB lets no more read it`,
  );
};

/**
 * Gives a function the records of the table's stream that match, in batches: at least once, in order for each
 * partition. A batch that fails is given again from the first record that failed, or half of it at a time. Records
 * that fail until they are no news any more are dropped, and `dropped` is told where in the stream they were.
 */
export const mapStream = (
  table: ITable,
  { id, pattern }: { id: string; pattern: object },
  { lambda, role }: ServiceFunction,
  dropped: IQueue,
): void => {
  assertRoomForReader(lambda.stack);
  grantStream(table, role);
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [dropped.queueArn] }),
  );
  lambda.addEventSourceMapping(`${id}Stream`, {
    eventSourceArn: table.tableStreamArn ?? '',
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: mostAtOnce,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    maxRecordAge: Duration.millis(freshnessMs),
    onFailure: { bind: () => ({ destination: dropped.queueArn }) },
    filters: [pattern, heartbeat].map((one) => ({ pattern: JSON.stringify(one) })),
  });
};

/** A queue to be told where in the stream dropped records were, not what they say: that stays in the table. */
export const makeDroppedQueue = (scope: Construct, id: string, props: QueueProps = {}): Queue => {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...props,
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'It is the dead-letter queue: of a stream’s consumer, which the rule does not know.',
  });
  return queue;
};

/** The item that the clock writes every five minutes: a consumer that does not get even this item stands still. */
const heartbeat = { dynamodb: { Keys: { pk: { S: [{ prefix: issuerPrefix }] } } } };
