import {
  type _Record,
  type Shard as AwsShard,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { region } from '../account.ts';
import { credentialsFor } from '../table/engine-client.ts';

/** One item of a stream, as DynamoDB gives it and a pipe passes it on. */
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

export type Shard = AwsShard & { ShardId: string };

/** Where to read a shard from. */
export type Position =
  | { ShardIteratorType: 'TRIM_HORIZON' | 'LATEST' }
  | { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER'; SequenceNumber: string };

/** A table's stream on a local engine, which serves it at the table's own address. */
export class StreamsApi {
  readonly #client: DynamoDBStreamsClient;

  constructor(endpoint: string) {
    const credentials = credentialsFor(endpoint);
    this.#client = new DynamoDBStreamsClient({ endpoint, region, credentials, maxAttempts: 1 });
  }

  /** All shards of a stream, the ended ones among them. */
  async shards(StreamArn: string): Promise<Shard[]> {
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId }),
      );
      shards.push(...((StreamDescription?.Shards ?? []) as Shard[]));
      ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    return shards;
  }

  async iterator(StreamArn: string, ShardId: string, position: Position): Promise<string> {
    const command = new GetShardIteratorCommand({ StreamArn, ShardId, ...position });
    return (await this.#client.send(command)).ShardIterator ?? '';
  }

  /** The next records; without a next iterator, the shard has ended. */
  async records(ShardIterator: string) {
    const { Records = [], NextShardIterator } = await this.#client.send(
      new GetRecordsCommand({ ShardIterator, Limit: 100 }),
    );
    return { Records: Records.map(asSent), NextShardIterator };
  }
}

/** The client makes a date of what Lambda gives to a function in seconds. */
const asSent = ({ dynamodb = {}, ...record }: _Record): StreamRecord => {
  const { ApproximateCreationDateTime: at, ...change } = dynamodb;
  const time = at && at.getTime() / 1000;
  return { ...record, dynamodb: { ...change, ApproximateCreationDateTime: time } } as StreamRecord;
};
