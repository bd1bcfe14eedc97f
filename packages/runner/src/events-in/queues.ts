import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { LogTarget } from '../lambda/environment.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { Messages } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import type { Assembly } from '../template/assembly.ts';
import { LocalQueue, type MessageQueue } from './queue.ts';

interface QueuesOptions {
  logs: LogTarget;
  state: State;
  /** Whether dead letters of earlier runs are given again. */
  redrives?: boolean | undefined;
}

/**
 * Adds each queue of the stack, by logical id, with what the runner's state has of it. A message in one that no function
 * empties is told in the log, and kept. Answers how many of those are kept.
 */
export const startQueues = (
  queues: Map<string, MessageQueue>,
  { functions, queues: settings, otherQueues }: Assembly,
  lambda: Pick<Lambda, 'invoke'>,
  { logs, state, redrives = false }: QueuesOptions,
): { kept: number } => {
  const messages = new Messages(state);
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
    if (redrives) messages.redrive(queue.deadLetters, queue.logicalId);
    queues.set(queue.logicalId, new LocalQueue(queue, consumer, state));
  }
  for (const { logicalId } of otherQueues) {
    const send = (body: string, _delay = 0, group?: string) => {
      const id = randomUUID();
      const now = Date.now();
      messages.add(logicalId, { id, body, group, sentAt: now, visibleAt: now });
      log(logs, logicalId, { queue: logicalId, message: id, body });
      return id;
    };
    queues.set(logicalId, { send, lookAgain: () => {}, close: () => {} });
  }
  const kept = otherQueues.reduce((sum, { logicalId }) => sum + messages.count(logicalId), 0);
  return { kept };
};

/** As the functions' own lines are. */
const log = (target: LogTarget, functionName: string, message: object): void => {
  const line = { timestamp: new Date().toISOString(), level: 'ERROR', message };
  if (typeof target === 'function') target(functionName, line);
  else if (target === 'inherit') console.error(JSON.stringify(line));
  else writeSync(target, `${JSON.stringify(line)}\n`);
};
