import { type Check, NotTriedError } from './check.ts';

/**
 * Executions at once that 50 requests a second need, and the functions behind them. New accounts have ten, others a
 * thousand.
 */
const fewestAtOnce = 100;

/** Checks what is behind the API: the stack, and what the account gives to it. */
export const accountChecks: Check[] = [
  {
    title: 'the deployment is complete, and protected from deletion',
    run: async ({ deployed }) => {
      if (!deployed) throw new NotTriedError('Here is no deployment.');
      const { status, isProtected } = await deployed.status();
      const isComplete = status.endsWith('_COMPLETE') && !status.includes('ROLLBACK');
      return [
        ...(isComplete ? [] : [`The stack is ${status}.`]),
        ...(isProtected ? [] : ['The stack has no termination protection.']),
      ];
    },
  },
  {
    title: 'records and messages come to the functions',
    run: async ({ deployed }) => {
      if (!deployed) throw new NotTriedError('The runner brings them: see the changes below.');
      const mappings = await deployed.mappings();
      const stopped = mappings.filter(({ state }) => !['Enabled', 'Enabling'].includes(state));
      return stopped.map(({ functionArn, state }) => `The mapping to ${functionArn} is ${state}.`);
    },
  },
  {
    title: 'the account lets enough functions run at once',
    isWarning: true,
    run: async ({ deployed }) => {
      if (!deployed) throw new NotTriedError('Here is no account.');
      const most = await deployed.mostAtOnce();
      return most < fewestAtOnce
        ? [`It lets ${most} run, of all its functions. docs/deploy.md says how to raise that.`]
        : [];
    },
  },
  {
    title: 'somebody hears of alarms',
    isWarning: true,
    run: async ({ deployed }) => {
      if (!deployed) throw new NotTriedError('Here are no alarms.');
      const { confirmed, pending } = await deployed.alarmListeners();
      if (confirmed > 0) return [];
      const advice =
        pending > 0
          ? 'Somebody has to follow the link in the mail that AWS has sent to alarm_email'
          : "Write alarm_email into the deployment's file";
      return [`NOBODY HEARS OF ALARMS. ${advice}: see docs/deploy.md.`];
    },
  },
];
