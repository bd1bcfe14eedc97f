import { region } from './intrinsics.ts';
import type { StreamRecord } from './pipe.ts';

export interface Shard {
  ShardId: string;
  ParentShardId?: string;
}

/** Where to read a shard from. */
export type Position =
  | { ShardIteratorType: 'TRIM_HORIZON' | 'LATEST' }
  | { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER'; SequenceNumber: string };

/** An answer of the engine that is an error; `name` is its type. */
export class StreamsError extends Error {}

/**
 * The part of DynamoDB's Streams API that the runner needs of a local engine, which checks no
 * signature. By hand, because AWS's own client has no release in the other clients' version.
 */
export class StreamsApi {
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  /** All shards of a stream, the ended ones among them. */
  async shards(StreamArn: string): Promise<Shard[]> {
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const { StreamDescription } = await this.#call<{
        StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string };
      }>('DescribeStream', { StreamArn, ExclusiveStartShardId });
      shards.push(...StreamDescription.Shards);
      ExclusiveStartShardId = StreamDescription.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return shards;
  }

  async iterator(StreamArn: string, ShardId: string, position: Position): Promise<string> {
    const input = { StreamArn, ShardId, ...position };
    return (await this.#call<{ ShardIterator: string }>('GetShardIterator', input)).ShardIterator;
  }

  /** The next records; without a next iterator, the shard has ended. */
  records(
    ShardIterator: string,
  ): Promise<{ Records: StreamRecord[]; NextShardIterator?: string | null }> {
    return this.#call('GetRecords', { ShardIterator, Limit: 100 });
  }

  async #call<T>(operation: string, input: object): Promise<T> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': '20000101T000000Z',
        authorization: `AWS4-HMAC-SHA256 Credential=local/20000101/${region}/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0`,
      },
      body: JSON.stringify(input),
    });
    const output = (await response.json()) as T & {
      __type?: string;
      message?: string;
      Message?: string;
    };
    if (response.ok) return output;
    const error = new StreamsError(output.message ?? output.Message ?? `status ${response.status}`);
    error.name = output.__type?.split('#').at(-1) ?? 'StreamsError';
    throw error;
  }
}
