import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { EventsIn } from '../events-in.ts';
import type { EventsOut } from '../events-out.ts';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

const most = { statistic: Stats.MAXIMUM };
const all = { statistic: Stats.SUM };

/** Lines of a partner's events that wait for what has to be there first; and of those that have waited in vain. */
export const waitingLines = '{ $.message.outcome = "waiting" }';
export const letGoLines = '{ $.message.outcome = "let_go" }';
/** Lines of events that billing has to mend: time mends none of these. They become dead letters, which is told. */
export const refusedLines =
  '{ ($.message.code = "invalid_request") || ($.message.code = "event_id_reused") || ($.message.code = "insufficient_stars") }';

/** Events that others send: whether each is applied, and soon. */
export const watchEventsIn = (alarms: Alarms, { consumers }: EventsIn, logs: LogGroup): IWidget[] =>
  consumers.flatMap(({ id, queue, deadLetters, hasPartner, adviceOnUnreadable }) => {
    const dead = deadLetters.metricApproximateNumberOfMessagesVisible(most);
    const age = queue.metricApproximateAgeOfOldestMessage(most);
    alarms.add('dead-letters', {
      urgency: 'tells',
      of: id,
      metric: dead,
      atLeast: 1,
      feels: 'An organization’s stars are not what its billing says: an event was not applied.',
      act: ['Read why in the log, fix it, and send the messages again.', adviceOnUnreadable]
        .filter(Boolean)
        .join(' '),
    });
    alarms.add('events-late', {
      urgency: 'wakes',
      of: id,
      metric: age,
      atLeast: Duration.minutes(10).toSeconds(),
      periods: 2,
      feels: 'What was bought or renewed is not there yet, for ten minutes and more.',
      act: 'See whether the function fails, or there is more than it can do.',
    });
    // Most events that wait are about payments of other sales: so they set off no alarm.
    const waiting = hasPartner && logCount(alarms, 'PartnerEventsWaiting', [logs], waitingLines);
    const refused = logCount(alarms, 'EventsRefused', [logs], refusedLines);
    const failed = new MathExpression({
      expression: `FILL(received, 0) - FILL(deleted, 0) - FILL(refused, 0)${waiting ? ' - FILL(waiting, 0)' : ''}`,
      usingMetrics: {
        received: queue.metricNumberOfMessagesReceived(all),
        deleted: queue.metricNumberOfMessagesDeleted(all),
        refused,
        ...(waiting && { waiting }),
      },
      label: 'Delivered in vain',
    });
    // The age that SQS tells leaves out messages that were delivered three times. A message that fails is delivered each minute.
    alarms.add('events-late', {
      urgency: 'wakes',
      of: `${id}-failing`,
      metric: failed,
      atLeast: 3,
      periods: 3,
      feels: 'What was bought or renewed is not there yet: events fail again and again.',
      act: 'See in the log why they fail, before they are set aside after an hour.',
    });
    const letGo = hasPartner ? [logCount(alarms, 'PartnerEventsLetGo', [logs], letGoLines)] : [];
    return [
      new GraphWidget({
        title: `${id}: waiting, set aside${hasPartner ? ', let go' : ''}; age of the oldest (s)`,
        left: [queue.metricApproximateNumberOfMessagesVisible(most), dead, ...letGo],
        right: [age],
        width: 12,
      }),
    ];
  });

/** Events that the service sends: whether each leaves, and soon. */
export const watchEventsOut = (
  alarms: Alarms,
  { publishers, undelivered }: EventsOut,
): IWidget[] => {
  const lost = undelivered.metricApproximateNumberOfMessagesVisible(most);
  alarms.add('events-out-undelivered', {
    urgency: 'tells',
    metric: lost,
    atLeast: 1,
    feels: 'Other systems never heard of some changes.',
    act: 'Find the changes in the feed, and send them again or tell their consumers.',
  });
  return publishers.map((lambda) => {
    const age = lambda.metric('IteratorAge', most);
    alarms.add('events-out-late', {
      urgency: 'tells',
      metric: age,
      atLeast: Duration.minutes(10).toMilliseconds(),
      feels: 'Other systems hear of changes ten minutes late, and after four hours not at all.',
      act: 'See in the log of publishChanges why the bus does not take them.',
    });
    return new GraphWidget({
      title: 'Events out: age of the oldest record (ms); given up',
      left: [age],
      right: [lost],
      width: 12,
    });
  });
};
