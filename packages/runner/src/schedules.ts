import { randomUUID } from 'node:crypto';
import { account, region } from './account.ts';
import type { Lambda } from './lambda/lambda.ts';
import type { Assembly } from './template/assembly.ts';

/** Starts the stack's scheduled functions, each time that their interval has passed, with EventBridge's event. */
export const startSchedules = (
  { functions, schedules }: Assembly,
  lambda: Lambda,
): { close: () => void } => {
  const timers = schedules.map(({ ruleLogicalId, functionLogicalId, everyMinutes }) => {
    const fn = functions.find(({ logicalId }) => logicalId === functionLogicalId)!;
    const event = () => ({
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
    return setInterval(() => lambda.invoke(fn, event()), everyMinutes * 60_000);
  });
  return {
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
};
