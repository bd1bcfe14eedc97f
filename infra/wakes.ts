import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AnyScheduledTask, AnyWorker } from '../lib/operations/kinds/background.ts';
import type { ServiceFunction } from './service-function.ts';

/** Deliveries of a wake before it is set aside. */
const maxReceiveCount = 10;

/**
 * The queue of wakes: of each, that something may have to be delivered. They are sent by the service's own
 * functions, taken by its worker, and, where nothing else sends one, by the clock.
 */
export class WakesQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  /** What the clock starts. */
  readonly scheduled: IFunction[] = [];

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    };
    this.deadLetters = new Queue(this, 'DeadLetters', common);
    this.queue = new Queue(this, 'Queue', {
      ...common,
      retentionPeriod: Duration.days(4),
      // Six times what a worker has, as Lambda asks for.
      visibilityTimeout: Duration.minutes(5),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount },
    });
  }

  /** What a function is told of the queue. */
  get environment(): Record<string, string> {
    return { WAKES_QUEUE_URL: this.queue.queueUrl };
  }

  allowSending({ role }: ServiceFunction): void {
    role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.queue.queueArn] }),
    );
  }

  /** One message for each invocation, so that a slow endpoint keeps nobody else waiting. */
  addWorker({ concurrency }: AnyWorker, { lambda }: ServiceFunction): void {
    lambda.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 1,
        maxConcurrency: concurrency,
        reportBatchItemFailures: true,
      }),
    );
  }

  addScheduled({ id, everyMinutes }: AnyScheduledTask, { lambda }: ServiceFunction): void {
    const every = Duration.minutes(everyMinutes);
    // What fails is not started again, nor what can't be started by then: the next start does it.
    this.scheduled.push(lambda);
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: every });
    new Rule(this, `${id}Schedule`, {
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(lambda, { retryAttempts: 0 })],
    });
  }
}
