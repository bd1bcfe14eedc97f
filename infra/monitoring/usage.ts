import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Alarms } from './alarms.ts';
import { logCount } from './log-count.ts';

/** The log lines of a worker that found an entry of ten minutes ago uncounted, whether or not it could count it. */
export const usageBehindLines = '{ $.message.usage_behind_ms >= 600000 }';

/** Usage: whether it is counted soon. */
export const watchUsage = (alarms: Alarms, logs: LogGroup): void => {
  alarms.add('usage-late', {
    urgency: 'tells',
    metric: logCount(alarms, 'UsageBehind', [logs], usageBehindLines),
    atLeast: 1,
    periods: 2,
    feels: 'Usage of some organization is ten minutes behind, and says so by as_of.',
    act: 'See in the log of followChanges why it can’t be counted.',
  });
};
