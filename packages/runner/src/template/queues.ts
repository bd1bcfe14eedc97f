import { ofType, type Resolve, type Resources } from './intrinsics.ts';

/** How a queue is named. */
export interface QueueNames {
  logicalId: string;
  arn: string;
  url: string;
  /** The properties of a FIFO queue; undefined for a standard queue. */
  fifo?: { deduplicates: boolean } | undefined;
}

/** A queue, and how a function empties it. */
export interface QueueSettings extends QueueNames {
  functionLogicalId: string;
  batchSize: number;
  /** Batches that are handled at once at most. */
  atOnce?: number | undefined;
  /** Whether the function says which messages of a batch failed. */
  partialResponses: boolean;
  /** Deliveries of a message before it is a dead letter. */
  maxReceiveCount: number;
  /** The logical id of the queue that dead letters go into. */
  deadLetters: string;
}

/** Reads the names of every queue of a template that no function empties. */
export const readOtherQueues = (
  resources: Resources,
  resolve: Resolve,
  emptied: readonly QueueSettings[],
): QueueNames[] =>
  ofType(resources, 'AWS::SQS::Queue')
    .filter(([id]) => !emptied.some(({ logicalId }) => logicalId === id))
    .map(([logicalId]) => ({
      logicalId,
      arn: String(resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] })),
      url: String(resolve({ Ref: logicalId })),
    }));

/** Reads every queue of a template that a function empties. */
export const readQueues = (resources: Resources, resolve: Resolve): QueueSettings[] => {
  const mappings = ofType(resources, 'AWS::Lambda::EventSourceMapping');
  return ofType(resources, 'AWS::SQS::Queue').flatMap(([logicalId, { Properties }]) => {
    const arn = resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] });
    return mappings
      .filter(([, mapping]) => resolve(mapping.Properties.EventSourceArn) === arn)
      .map(([, { Properties: mapping }]) => ({
        logicalId,
        arn: String(arn),
        url: String(resolve({ Ref: logicalId })),
        functionLogicalId: mapping.FunctionName.Ref as string,
        batchSize: mapping.BatchSize ?? 10,
        atOnce: mapping.ScalingConfig?.MaximumConcurrency as number | undefined,
        partialResponses: (mapping.FunctionResponseTypes ?? []).includes('ReportBatchItemFailures'),
        maxReceiveCount: Properties.RedrivePolicy.maxReceiveCount,
        deadLetters: Properties.RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'][0],
        ...(Properties.FifoQueue && {
          fifo: { deduplicates: Properties.ContentBasedDeduplication === true },
        }),
      }));
  });
};
