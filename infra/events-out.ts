import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { eventSource } from '../lib/changes/change.ts';
import { outbox } from '../lib/table/keys.ts';
import { SelfContainedRole } from './role.ts';
import { grantStream } from './table.ts';

/** A bus takes this many events at once, and a pipe does not send more. Each record is one event. */
const batchSize = 10;

/** A record leaves the stream after a day, and one that can never be sent holds up its shard. */
const giveUpAfterSeconds = 4 * 60 * 60;

/** Sends each item of the outbox, once it has its number, as an event on a bus of its own: at least once, in order. */
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
    const { stackName } = Stack.of(this);
    const bus = new EventBus(this, 'Bus', { eventBusName: `${stackName}-events-out` });
    // Another stream is another source, and so another pipe. Two pipes can't have one name: the pipe of the stream
    // without old images was named `…-events-out`.
    this.pipeName = `${stackName}-changes-out${suffix}`;
    const undelivered = this.#undelivered();
    this.undelivered = undelivered;
    const role = this.#role(this.pipeName);
    const allow = (resource: string, ...actions: string[]) =>
      role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [resource] }));
    grantStream(table, role);
    allow(describe.functionArn, 'lambda:InvokeFunction');
    allow(bus.eventBusArn, 'events:PutEvents');
    allow(undelivered.queueArn, 'sqs:SendMessage');

    this.#pipe = new CfnPipe(this, 'Pipe', {
      name: this.pipeName,
      description: 'Sends what changed in leads and wallets, as events.',
      roleArn: role.roleArn,
      source: table.tableStreamArn ?? '',
      sourceParameters: {
        filterCriteria: { filters: [{ pattern: JSON.stringify(numbered) }] },
        dynamoDbStreamParameters: {
          startingPosition: 'TRIM_HORIZON',
          batchSize,
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

/** An event pattern: the records of the stream by which an item of the outbox got its first number, not late. */
const numbered = {
  eventName: ['MODIFY'],
  dynamodb: {
    Keys: { pk: { S: Object.values(outbox).map((prefix) => ({ prefix })) } },
    NewImage: { sequence: { N: [{ exists: true }] }, late: { BOOL: [{ exists: false }] } },
    OldImage: { sequence: { N: [{ exists: false }] } },
  },
};
