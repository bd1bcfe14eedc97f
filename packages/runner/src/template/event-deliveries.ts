import { ofType, type Resolve, type Resources } from './intrinsics.ts';
import type { QueueSettings } from './queues.ts';

/** The way of some events: from a bus, by a rule, into a queue. */
export interface EventDelivery {
  bus: string;
  sources: string[];
  detailTypes: string[];
  queue: QueueSettings;
}

/** Reads every rule of a template that events have to match, with the queue that it fills. */
export const eventDeliveries = (
  resources: Resources,
  resolve: Resolve,
  queues: readonly QueueSettings[],
): EventDelivery[] =>
  ofType(resources, 'AWS::Events::Rule')
    .filter(([, { Properties }]) => Properties.EventPattern !== undefined)
    .flatMap(([, { Properties: rule }]) =>
      (rule.Targets as { Arn: unknown }[]).map(({ Arn }) => {
        const { source, 'detail-type': detailType, ...unknown } = rule.EventPattern;
        if (Object.keys(unknown).length > 0 || ![source, detailType].every(isExact)) {
          throw new Error(`the runner does not know ${JSON.stringify(rule.EventPattern)}`);
        }
        const queue = queues.find(({ arn }) => arn === resolve(Arn));
        if (!queue) throw new Error(`the runner knows no queue with a function at ${resolve(Arn)}`);
        return {
          bus: resolve(rule.EventBusName) as string,
          sources: source,
          detailTypes: detailType,
          queue,
        };
      }),
    );

/** Patterns other than plain values are objects. */
const isExact = (pattern: unknown): boolean =>
  Array.isArray(pattern) && pattern.every((value) => typeof value === 'string');
