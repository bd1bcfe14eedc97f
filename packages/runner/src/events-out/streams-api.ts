import { shiftMs } from '../clock/shifted-date.ts';
import { type CallEngine, engineCaller } from '../table/engine-client.ts';

/** One item of a stream, as DynamoDB sends it and Lambda passes it on. */
export interface StreamRecord {
  eventName: string;
  dynamodb: {
    SequenceNumber: string;
    /** In seconds since the epoch. */
    ApproximateCreationDateTime?: number;
    Keys: object;
    NewImage?: object;
    OldImage?: object;
  };
}

export interface Shard {
  ShardId: string;
  ParentShardId?: string;
}

/** Where to read a shard from. */
export type IteratorStart =
  | { ShardIteratorType: 'TRIM_HORIZON' | 'LATEST' }
  | { ShardIteratorType: 'AT_SEQUENCE_NUMBER' | 'AFTER_SEQUENCE_NUMBER'; SequenceNumber: string };

/** Records of one answer at most. */
export const mostRecords = 100;

/**
 * A table's stream on a local engine, which serves it at the table's own address. Without the SDK: it is read all the
 * time, and a function is given the very JSON that the SDK would make something else of.
 */
export class StreamsApi {
  readonly #call: CallEngine;

  constructor(endpoint: string) {
    this.#call = engineCaller(endpoint, 'DynamoDBStreams_20120810');
  }

  /** All shards of a stream, the ended ones among them. */
  async shards(StreamArn: string): Promise<Shard[]> {
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const { StreamDescription } = await this.#call('DescribeStream', {
        StreamArn,
        ExclusiveStartShardId,
      });
      shards.push(...(StreamDescription.Shards ?? []));
      ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return shards;
  }

  async iterator(StreamArn: string, ShardId: string, start: IteratorStart): Promise<string> {
    const input = { StreamArn, ShardId, ...start };
    return (await this.#call('GetShardIterator', input)).ShardIterator ?? '';
  }

  /** The next records; without a next iterator, the shard has ended. */
  async records(
    ShardIterator: string,
    Limit = mostRecords,
  ): Promise<{ Records: StreamRecord[]; NextShardIterator: string | undefined }> {
    const input = { ShardIterator, Limit };
    const { Records = [], NextShardIterator } = await this.#call('GetRecords', input);
    return { Records: Records.map(shifted), NextShardIterator };
  }
}

/** A record at the time of the runner's clock: the engine has the machine's. */
const shifted = ({ dynamodb, ...record }: StreamRecord): StreamRecord => {
  const { ApproximateCreationDateTime: at } = dynamodb;
  const time = at !== undefined && { ApproximateCreationDateTime: at + shiftMs() / 1000 };
  return { ...record, dynamodb: { ...dynamodb, ...time } };
};
