import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { ascii } from '../ascii.ts';

/** Who is told: somebody who is woken for it, or whoever reads the mail in the morning. */
type Urgency = 'wakes' | 'tells';

interface AlarmOptions {
  urgency: Urgency;
  metric: IMetric;
  /** The alarm goes off when the metric is this or more. */
  atLeast: number;
  /** Periods of the metric in a row that have to be so. One by default. */
  periods?: number;
  /** For how many periods more it stays on. */
  staysFor?: number;
  /** What the service's users notice. */
  feels: string;
  /** What to do first. */
  act: string;
  /** What the alarm is about, where several alarms share a runbook. */
  of?: string;
}

/** Who hears of alarms: the second one only of those that can wait. */
export interface Listeners {
  email: string | undefined;
  noticeEmail?: string | undefined;
}

/** The stack's alarms, each with a runbook, and two topics that hear when one goes off or ends: to be woken, and to be told. */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly #actions: Record<Urgency, SnsAction>;

  constructor(scope: Construct, id: string, { email, noticeEmail = email }: Listeners) {
    super(scope, id);
    this.#actions = {
      wakes: new SnsAction(this.#topic('Topic', 'AlarmTopic', email)),
      tells: new SnsAction(this.#topic('NoticeTopic', 'NoticeTopic', noticeEmail)),
    };
    if (!email) {
      const text =
        'NOBODY HEARS OF ALARMS: there is no alarm_email. Write an address of yours as alarm_email into the ' +
        "deployment's file, and see docs/deploy.md.";
      Annotations.of(this).addWarningV2('leads-and-stars:nobody-hears-of-alarms', text);
    }
  }

  #topic(id: string, output: string, email: string | undefined): Topic {
    const topic = new Topic(this, id, { enforceSSL: true });
    // `enforceSSL` sets a policy, which replaces the default policy, by which CloudWatch may publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email) topic.addSubscription(new EmailSubscription(email));
    new CfnOutput(Stack.of(this), output, { value: topic.topicArn });
    return topic;
  }

  /** Adds an alarm, described in `docs/runbooks/<runbook>.md`. */
  add(runbook: string, options: AlarmOptions): void {
    const { urgency, metric, atLeast, periods = 1, staysFor = 0, feels, act, of } = options;
    const name = of ? `${runbook}-${of}` : runbook;
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: ascii(`${feels} ${act} Runbook: docs/runbooks/${runbook}.md`),
      metric,
      threshold: atLeast,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods + staysFor,
      datapointsToAlarm: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(this.#actions[urgency]);
    alarm.addOkAction(this.#actions[urgency]);
    this.all.push(alarm);
  }
}
