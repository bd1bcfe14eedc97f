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

interface AlarmOptions {
  metric: IMetric;
  /** The alarm goes off when the metric is this or more. */
  atLeast: number;
  /** Periods of the metric in a row that have to be so. One by default. */
  periods?: number;
  /** What the service's users notice. */
  feels: string;
  /** What to do first. */
  act: string;
  /** Which one it is, where several alarms share a runbook. */
  of?: string;
}

/** The stack's alarms, each with a runbook, and the topic that hears when one goes off or ends. */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly #action: SnsAction;

  constructor(scope: Construct, id: string, email: string | undefined) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    // `enforceSSL` sets a policy, which replaces the default one that lets CloudWatch publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email) topic.addSubscription(new EmailSubscription(email));
    else {
      const text =
        'NOBODY HEARS OF ALARMS: there is no alarm_email. Write an address of yours as alarm_email into the ' +
        "deployment's file, and see docs/deploy.md.";
      Annotations.of(this).addWarningV2('leads-and-stars:nobody-hears-of-alarms', text);
    }
    this.#action = new SnsAction(topic);
    new CfnOutput(Stack.of(this), 'AlarmTopic', { value: topic.topicArn });
  }

  /** Adds an alarm, described in `docs/runbooks/<runbook>.md`. */
  add(runbook: string, options: AlarmOptions): void {
    const { metric, atLeast, periods = 1, feels, act, of } = options;
    const name = of ? `${runbook}-${of}` : runbook;
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: ascii(`${feels} ${act} Runbook: docs/runbooks/${runbook}.md`),
      metric,
      threshold: atLeast,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(this.#action);
    alarm.addOkAction(this.#action);
    this.all.push(alarm);
  }
}
