import { writeSync } from 'node:fs';
import type { LogTarget } from '../lambda/environment.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { Assembly } from '../template/assembly.ts';
import { LocalQueue } from './queue.ts';

/** A queue for each event source of the stack, by logical id, emptied into its function. */
export const startQueues = (
  { functions, eventDeliveries }: Assembly,
  lambda: Lambda,
  logs: LogTarget,
): Map<string, LocalQueue> =>
  new Map(
    eventDeliveries.map(({ queue, functionLogicalId }) => {
      const fn = functions.find(({ logicalId }) => logicalId === functionLogicalId)!;
      const consumer = {
        invoke: (event: unknown) => lambda.invoke(fn, event),
        deadLetter: ({
          id,
          body,
          receiveCount,
        }: {
          id: string;
          body: string;
          receiveCount: number;
        }) =>
          log(logs, fn.name, {
            dead_letter: id,
            function: fn.name,
            deliveries: receiveCount,
            body,
          }),
      };
      return [queue.logicalId, new LocalQueue(queue, consumer)];
    }),
  );

/** As the functions' own lines are. */
const log = (target: LogTarget, functionName: string, message: object): void => {
  const line = { timestamp: new Date().toISOString(), level: 'ERROR', message };
  if (typeof target === 'function') target(functionName, line);
  else if (target === 'inherit') console.error(JSON.stringify(line));
  else writeSync(target, `${JSON.stringify(line)}\n`);
};
