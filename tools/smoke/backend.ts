import { type Check, NotTriedError } from './check.ts';

/** What 50 requests a second need, and the functions behind them. New accounts have ten, others a thousand. */
const fewestAtOnce = 100;

/** Checks what is behind the API: the stack, and what is given to functions. */
export const behindChecks: Check[] = [
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
      if (!deployed) throw new NotTriedError('The runner brings them: see the events of the lead.');
      const mappings = await deployed.mappings();
      const stopped = mappings.filter(({ state }) => !['Enabled', 'Enabling'].includes(state));
      return stopped.map(({ functionArn, state }) => `The mapping to ${functionArn} is ${state}.`);
    },
  },
  {
    title: 'the account lets enough functions run at once',
    run: async ({ deployed }) => {
      if (!deployed) throw new NotTriedError('Here is no account.');
      const most = await deployed.mostAtOnce();
      return most < fewestAtOnce
        ? [`It lets ${most} run, of all its functions. docs/deploy.md says how to raise that.`]
        : [];
    },
  },
];
