import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { EventBus, Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { AnyQueueConsumer } from '../lib/operations/kinds/background.ts';

/**
 * How often a message is delivered before it becomes a dead letter. The visibility timeout puts about a minute between
 * two deliveries, so this takes an hour. By then most outages are over, and most events that came too early can be taken.
 */
const maxReceiveCount = 60;
const batchSize = 10;

/** Batches at once. A month's renewals must not use up the concurrency that the API's functions need. */
const batchesAtOnce = 20;

/**
 * How long a message waits while nothing takes it: during a restore, or a fault over the holidays. It keeps its age when
 * SQS moves it to the dead-letter queue, which keeps none beyond 14 days. So it stays there for at least four days.
 */
const retention = Duration.days(10);
const deadLetterRetention = Duration.days(14);

/** A function that takes events, and how they come to it. */
interface EventConsumer {
  id: string;
  queue: Queue;
  deadLetters: Queue;
  /** Whether events of a partner come by the same queue. */
  hasPartner: boolean;
  /** What to do about a partner's events that nobody here can read. */
  adviceOnUnreadable: string | undefined;
}

/**
 * The bus that your billing sends events to, and a queue for each function that takes some of them. With a partner's event
 * source, that is associated with a bus of its own, from which events go into the same queues.
 */
export class EventsIn extends Construct {
  readonly consumers: EventConsumer[] = [];
  readonly #bus: EventBus;
  readonly #partner: { source: string; bus: EventBus } | undefined;

  constructor(scope: Construct, id: string, partnerSource: string | undefined) {
    super(scope, id);
    this.#bus = new EventBus(this, 'Bus', { eventBusName: Stack.of(this).stackName });
    this.#partner = partnerSource
      ? {
          source: partnerSource,
          bus: new EventBus(this, 'PartnerBus', { eventSourceName: partnerSource }),
        }
      : undefined;
    new CfnOutput(Stack.of(this), 'EventsInBus', { value: this.#bus.eventBusName });
  }

  /** Events wait in the queue while the function fails; none is lost, and none blocks the others. */
  addConsumer({ id, partner }: AnyQueueConsumer, lambda: LambdaFunction): void {
    const common = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Events that wait, such as purchases, are nowhere else.
      removalPolicy: RemovalPolicy.RETAIN,
    };
    const deadLetters = new Queue(this, `${id}DeadLetters`, {
      ...common,
      retentionPeriod: deadLetterRetention,
    });
    const queue = new Queue(this, `${id}Queue`, {
      ...common,
      retentionPeriod: retention,
      // Lambda's documentation asks for six times the timeout, so that it can retry a throttled batch.
      visibilityTimeout: Duration.seconds(6 * (lambda.timeout?.toSeconds() ?? 3)),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount },
    });
    const targets = [new SqsQueue(queue, { deadLetterQueue: deadLetters })];
    // All there is: what no rule takes, as its source or type is misspelled, would be lost without a word.
    new Rule(this, `${id}Rule`, {
      eventBus: this.#bus,
      eventPattern: { source: Match.prefix('') },
      targets,
    });
    const hasPartner = partner !== undefined && this.#partner !== undefined;
    if (hasPartner) {
      new Rule(this, `${id}PartnerRule`, {
        eventBus: this.#partner.bus,
        eventPattern: { source: [this.#partner.source], detailType: [...partner.types] },
        targets,
      });
      // Nobody here can read these, so they are dead letters at once: somebody may have paid.
      new Rule(this, `${id}UnreadableRule`, {
        eventBus: this.#partner.bus,
        eventPattern: {
          source: [this.#partner.source],
          detailType: Match.prefix(partner.unreadablePrefix),
        },
        targets: [new SqsQueue(deadLetters)],
      });
    }
    lambda.addEventSource(
      new SqsEventSource(queue, {
        batchSize,
        maxConcurrency: batchesAtOnce,
        reportBatchItemFailures: true,
      }),
    );
    const adviceOnUnreadable = hasPartner ? partner.adviceOnUnreadable : undefined;
    this.consumers.push({ id, queue, deadLetters, hasPartner, adviceOnUnreadable });
  }
}
