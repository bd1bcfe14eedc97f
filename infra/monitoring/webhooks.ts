import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { WakesQueue } from '../wakes.ts';
import type { Alarms } from './alarms.ts';

const most = { statistic: Stats.MAXIMUM };

/** Webhooks: whether what is to be posted is looked at, and soon. An endpoint that fails is its owner’s matter. */
export const watchWebhooks = (alarms: Alarms, { queue, deadLetters }: WakesQueue): IWidget[] => {
  const age = queue.metricApproximateAgeOfOldestMessage(most);
  const dead = deadLetters.metricApproximateNumberOfMessagesVisible(most);
  alarms.add('webhooks-late', {
    urgency: 'tells',
    metric: age,
    atLeast: Duration.minutes(10).toSeconds(),
    periods: 2,
    feels: 'Webhooks are posted, and usage is counted, ten minutes late, and later.',
    act: 'See whether the worker fails, or there is more than it can do.',
  });
  alarms.add('webhooks-set-aside', {
    urgency: 'tells',
    metric: dead,
    atLeast: 1,
    feels: 'Some organization’s webhooks or usage stand still until something changes there.',
    act: 'Read why in the log, mend it, and send the wakes again.',
  });
  return [
    new GraphWidget({
      title: 'Webhooks: wakes waiting, set aside; age of the oldest (s)',
      left: [queue.metricApproximateNumberOfMessagesVisible(most), dead],
      right: [age],
      width: 12,
    }),
  ];
};
