import { randomUUID } from 'node:crypto';
import { account, region } from './account.ts';
import type { Lambda } from './lambda/lambda.ts';
import type { State } from './state/state.ts';
import type { Assembly } from './template/assembly.ts';
import type { Schedule } from './template/schedules.ts';

interface Schedules {
  /** Runs what is due, once, where the clock was moved. Returns when that is done. */
  lookAgain(): Promise<void>;
  close(): void;
}

/**
 * Starts the stack's scheduled functions, each time that their interval has passed, with EventBridge's event. The first time
 * is that after the last one of the run before; at once where that is over.
 */
export const startSchedules = (
  { functions, schedules }: Pick<Assembly, 'functions' | 'schedules'>,
  lambda: Pick<Lambda, 'invoke'>,
  state: State,
): Schedules => {
  const timers = new Map<Schedule, NodeJS.Timeout>();
  /** When each is due, and what runs it. */
  const due = new Map<Schedule, { at: number; run: () => Promise<void> }>();
  const runEach = (schedule: Schedule): void => {
    const { ruleLogicalId, functionLogicalId, everyMinutes } = schedule;
    const fn = functions.find(({ logicalId }) => logicalId === functionLogicalId)!;
    const name = `schedule ${ruleLogicalId}`;
    const intervalMs = everyMinutes * 60_000;
    const run = async () => {
      const startedAt = Date.now();
      runIn(intervalMs);
      await lambda.invoke(fn, eventOf(ruleLogicalId));
      // A run that the end of the runner cuts off is due again.
      if (timers.has(schedule)) state.setPlace(name, String(startedAt));
    };
    const runIn = (waitMs: number) => {
      due.set(schedule, { at: Date.now() + waitMs, run });
      timers.set(schedule, setTimeout(run, waitMs));
    };
    const last = state.place(name) ?? String(Date.now());
    state.setPlace(name, last);
    // A clock may have been set back.
    runIn(Math.min(Number(last) + intervalMs - Date.now(), intervalMs));
  };
  for (const schedule of schedules) runEach(schedule);
  return {
    async lookAgain() {
      const runs = [...due].map(([schedule, { at, run }]) => {
        clearTimeout(timers.get(schedule));
        if (at <= Date.now()) return run();
        timers.set(schedule, setTimeout(run, at - Date.now()));
        return undefined;
      });
      await Promise.all(runs);
    },
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
