import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { LogTarget } from '../lambda/environment.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { Assembly } from '../template/assembly.ts';
import { LocalQueue, type MessageQueue } from './queue.ts';

/** Adds each queue of the stack, by logical id. A message in one that no function empties is told in the log. */
export const startQueues = (
  queues: Map<string, MessageQueue>,
  { functions, queues: settings, otherQueues }: Assembly,
  lambda: Pick<Lambda, 'invoke'>,
  logs: LogTarget,
): void => {
  for (const queue of settings) {
    const fn = functions.find(({ logicalId }) => logicalId === queue.functionLogicalId)!;
    const consumer = {
      invoke: (event: unknown) => lambda.invoke(fn, event),
      deadLetter: (letter: { id: string; body: string; receiveCount: number }) =>
        log(logs, fn.name, {
          dead_letter: letter.id,
          function: fn.name,
          deliveries: letter.receiveCount,
          body: letter.body,
        }),
    };
    queues.set(queue.logicalId, new LocalQueue(queue, consumer));
  }
  for (const { logicalId } of otherQueues) {
    const send = (body: string) => {
      const id = randomUUID();
      log(logs, logicalId, { queue: logicalId, message: id, body });
      return id;
    };
    queues.set(logicalId, { send, close: () => {} });
  }
};

/** As the functions' own lines are. */
const log = (target: LogTarget, functionName: string, message: object): void => {
  const line = { timestamp: new Date().toISOString(), level: 'ERROR', message };
  if (typeof target === 'function') target(functionName, line);
  else if (target === 'inherit') console.error(JSON.stringify(line));
  else writeSync(target, `${JSON.stringify(line)}\n`);
};
