import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventSource, mostEventsOfRecord } from '../lib/events/events-out.ts';
import { outbox } from '../lib/table/keys.ts';
import { SelfContainedRole } from './role.ts';

/** A bus takes this many events at once. A pipe does not send a batch that has become more. */
const mostEventsOfBatch = 10;

/** A record leaves the stream after a day, and one that can never be sent holds up its shard. */
const giveUpAfterSeconds = 4 * 60 * 60;

/** Sends each item that is added to the outbox as an event, on a bus of its own: at least once, in order. */
export class EventsOut extends Construct {
  readonly pipeName: string;
  readonly undelivered: Queue;
  readonly #pipe: CfnPipe;

  constructor(
    scope: Construct,
    id: string,
    { table, describe, suffix }: { table: ITable; describe: IFunction; suffix: string },
  ) {
    super(scope, id);
    const name = `${Stack.of(this).stackName}-events-out`;
    const bus = new EventBus(this, 'Bus', { eventBusName: name });
    // Another table is another source, and so another pipe. Two pipes can't have one name.
    this.pipeName = name + suffix;
    const undelivered = this.#undelivered();
    this.undelivered = undelivered;
    const stream = table.tableStreamArn ?? '';
    const role = this.#role(this.pipeName);
    const allow = (resource: string, ...actions: string[]) =>
      role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [resource] }));
    allow(
      stream,
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
    );
    allow(describe.functionArn, 'lambda:InvokeFunction');
    allow(bus.eventBusArn, 'events:PutEvents');
    allow(undelivered.queueArn, 'sqs:SendMessage');

    this.#pipe = new CfnPipe(this, 'Pipe', {
      name: this.pipeName,
      description: 'Sends what changed in leads and wallets, as events.',
      roleArn: role.roleArn,
      source: stream,
      sourceParameters: {
        filterCriteria: { filters: [{ pattern: JSON.stringify(added) }] },
        dynamoDbStreamParameters: {
          startingPosition: 'TRIM_HORIZON',
          batchSize: Math.floor(mostEventsOfBatch / mostEventsOfRecord),
          onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          maximumRetryAttempts: -1,
          maximumRecordAgeInSeconds: giveUpAfterSeconds,
          deadLetterConfig: { arn: undelivered.queueArn },
        },
      },
      enrichment: describe.functionArn,
      target: bus.eventBusArn,
      targetParameters: {
        eventBridgeEventBusParameters: { source: eventSource, detailType: '$.type' },
      },
    });
    new CfnOutput(Stack.of(this), 'EventsOutBus', { value: bus.eventBusName });
  }

  /**
   * Makes the pipe wait for all that the stack has by now. While the table's stream or the pipe's role is new, AWS
   * may refuse the pipe for a minute or two: "Cannot access stream" (aws/aws-cdk#31211,
   * hashicorp/terraform-provider-aws#40572). The older they are, the better the chance.
   */
  makePipeLast(): void {
    const others = [...this.node.children, ...Stack.of(this).node.children];
    this.#pipe.node.addDependency(...others.filter((one) => one !== this && one !== this.#pipe));
  }

  /** Is told where in the stream the records are, not what they are. The items themselves stay in the table. */
  #undelivered(): Queue {
    const queue = new Queue(this, 'Undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue: of a pipe, which the rule does not know.',
    });
    return queue;
  }

  #role(pipe: string): SelfContainedRole {
    const { account } = Stack.of(this);
    return new SelfContainedRole(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': account,
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'pipes',
              resource: 'pipe',
              resourceName: pipe,
            }),
          },
        },
      }),
    });
  }
}

/** An event pattern: the records of the stream that add an item to the outbox. */
const added = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: Object.values(outbox).map((prefix) => ({ prefix })) } } },
};
