import { writeSync } from 'node:fs';
import type { Assembly } from './assembly.ts';
import type { LogTarget } from './environment.ts';
import type { Lambda } from './lambda.ts';
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
          log(logs, {
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
const log = (target: LogTarget, message: object): void => {
  const line = JSON.stringify({ timestamp: new Date().toISOString(), level: 'ERROR', message });
  if (target === 'inherit') console.error(line);
  else writeSync(target, `${line}\n`);
};
