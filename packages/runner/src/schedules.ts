import { randomUUID } from 'node:crypto';
import { account, region } from './account.ts';
import type { Lambda } from './lambda/lambda.ts';
import type { State } from './state/state.ts';
import type { Assembly } from './template/assembly.ts';
import type { Schedule } from './template/schedules.ts';

/**
 * Starts the stack's scheduled functions, each time that their interval has passed, with EventBridge's event. The first time
 * is that after the last one of the run before; at once where that is over.
 */
export const startSchedules = (
  { functions, schedules }: Pick<Assembly, 'functions' | 'schedules'>,
  lambda: Pick<Lambda, 'invoke'>,
  state: State,
): { close: () => void } => {
  const timers = new Map<Schedule, NodeJS.Timeout>();
  const runEach = (schedule: Schedule): void => {
    const { ruleLogicalId, functionLogicalId, everyMinutes } = schedule;
    const fn = functions.find(({ logicalId }) => logicalId === functionLogicalId)!;
    const name = `schedule ${ruleLogicalId}`;
    const intervalMs = everyMinutes * 60_000;
    const run = async () => {
      const startedAt = Date.now();
      timers.set(schedule, setTimeout(run, intervalMs));
      await lambda.invoke(fn, eventOf(ruleLogicalId));
      // A run that the end of the runner cuts off is due again.
      if (timers.has(schedule)) state.setPlace(name, String(startedAt));
    };
    const last = state.place(name) ?? String(Date.now());
    state.setPlace(name, last);
    // A clock may have been set back.
    const waitMs = Math.min(Number(last) + intervalMs - Date.now(), intervalMs);
    timers.set(schedule, setTimeout(run, waitMs));
  };
  for (const schedule of schedules) runEach(schedule);
  return {
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
};

const eventOf = (ruleLogicalId: string) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account,
  time: new Date().toISOString().replace(/\.\d+/, ''),
  region,
  resources: [`arn:aws:events:${region}:${account}:rule/${ruleLogicalId}`],
  detail: {},
});
