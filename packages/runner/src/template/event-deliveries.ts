import { ofType, type Resolve, type Resources } from './intrinsics.ts';

/** The way of some events: from a bus, by a rule, through a queue, to a function. */
export interface EventDelivery {
  bus: string;
  sources: string[];
  detailTypes: string[];
  queue: QueueSettings;
  functionLogicalId: string;
}

export interface QueueSettings {
  logicalId: string;
  arn: string;
  batchSize: number;
  /** Whether the function says which messages of a batch failed. */
  partialResponses: boolean;
  /** Deliveries of a message before it is a dead letter. */
  maxReceiveCount: number;
}

/** Reads every rule of a template, with the queue that it fills and the function that empties it. */
export const eventDeliveries = (resources: Resources, resolve: Resolve): EventDelivery[] =>
  ofType(resources, 'AWS::Events::Rule').flatMap(([, { Properties: rule }]) =>
    (rule.Targets as { Arn: unknown }[]).map(({ Arn }) => {
      const { source, 'detail-type': detailType, ...unknown } = rule.EventPattern;
      if (Object.keys(unknown).length > 0 || ![source, detailType].every(isExact)) {
        throw new Error(`the runner does not know ${JSON.stringify(rule.EventPattern)}`);
      }
      const { functionLogicalId, ...queue } = consumerOf(resources, resolve, resolve(Arn));
      return {
        bus: resolve(rule.EventBusName) as string,
        sources: source,
        detailTypes: detailType,
        queue,
        functionLogicalId,
      };
    }),
  );

/** Patterns other than plain values are objects. */
const isExact = (pattern: unknown): boolean =>
  Array.isArray(pattern) && pattern.every((value) => typeof value === 'string');

const consumerOf = (resources: Resources, resolve: Resolve, arn: unknown) => {
  const queue = ofType(resources, 'AWS::SQS::Queue').find(
    ([id]) => resolve({ 'Fn::GetAtt': [id, 'Arn'] }) === arn,
  );
  const mapping = ofType(resources, 'AWS::Lambda::EventSourceMapping').find(
    ([, { Properties }]) => resolve(Properties.EventSourceArn) === arn,
  );
  if (!queue || !mapping) throw new Error(`the runner knows no queue with a function at ${arn}`);
  const [logicalId, { Properties }] = queue;
  const source = mapping[1].Properties;
  return {
    logicalId,
    arn: String(arn),
    batchSize: source.BatchSize ?? 10,
    partialResponses: (source.FunctionResponseTypes ?? []).includes('ReportBatchItemFailures'),
    maxReceiveCount: Properties.RedrivePolicy.maxReceiveCount,
    functionLogicalId: source.FunctionName.Ref as string,
  };
};
