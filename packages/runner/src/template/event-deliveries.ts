import { ofType, type Resolve, type Resources } from './intrinsics.ts';
import { type Pattern, readPattern } from './patterns.ts';
import type { QueueNames } from './queues.ts';

/** The way of some events: from a bus, by a rule, into a queue. */
export interface EventDelivery {
  bus: string;
  pattern: Pattern;
  queue: QueueNames;
}

/** Reads every rule of a template that events have to match, with the queue that it fills. */
export const eventDeliveries = (
  resources: Resources,
  resolve: Resolve,
  queues: readonly QueueNames[],
): EventDelivery[] =>
  ofType(resources, 'AWS::Events::Rule')
    .filter(([, { Properties }]) => Properties.EventPattern !== undefined)
    .flatMap(([, { Properties: rule }]) =>
      (rule.Targets as { Arn: unknown }[]).map(({ Arn }) => {
        const queue = queues.find(({ arn }) => arn === resolve(Arn));
        if (!queue) throw new Error(`the runner knows no queue at ${resolve(Arn)}`);
        return {
          bus: resolve(rule.EventBusName) as string,
          pattern: readPattern(rule.EventPattern),
          queue,
        };
      }),
    );
