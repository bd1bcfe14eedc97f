import { existsSync, readFileSync } from 'node:fs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { makePrivate, replaceFile } from '../machine/private-file.ts';
import { adminClient } from '../table/table.ts';
import { type IteratorStart, type Shard, type StreamRecord, StreamsApi } from './streams-api.ts';

export interface StreamOptions {
  /** Where to begin when nothing is known of an earlier run. */
  from: 'TRIM_HORIZON' | 'LATEST';
  /** Keeps how far the stream was read, for the next run. */
  checkpointFile?: string | undefined;
}

interface Reading {
  shard: Shard;
  iterator: string | undefined;
  /** The last record that was handled. */
  last: string | undefined;
}

interface Checkpoint {
  stream_arn: string;
  shards: Record<string, string>;
}

/**
 * A table's stream on a local engine: each record at least once, in the order of its shard. It starts
 * where it is opened, so what is written after that is never missed.
 */
export class TableStream {
  readonly #api: StreamsApi;
  readonly #arn: string;
  readonly #file: string | undefined;
  readonly #known = new Set<string>();
  readonly #handled: Record<string, string>;
  #readings: Reading[] = [];

  private constructor(api: StreamsApi, arn: string, file: string | undefined, saved?: Checkpoint) {
    this.#api = api;
    this.#arn = arn;
    this.#file = file;
    this.#handled = { ...saved?.shards };
  }

  static async open(
    endpoint: string,
    table: string,
    { from, checkpointFile }: StreamOptions,
  ): Promise<TableStream> {
    const described = await adminClient(endpoint).send(
      new DescribeTableCommand({ TableName: table }),
    );
    const arn = described.Table?.LatestStreamArn ?? '';
    const saved = readCheckpoint(checkpointFile, arn);
    const stream = new TableStream(new StreamsApi(endpoint), arn, checkpointFile, saved);
    await stream.#discover(saved ? 'TRIM_HORIZON' : from);
    return stream;
  }

  /** Handles what is new, shard by shard. Answers how many records there were. */
  async read(handle: (records: StreamRecord[]) => Promise<void>): Promise<number> {
    let recordCount = 0;
    for (const reading of [...this.#readings]) {
      const parent = reading.shard.ParentShardId;
      if (this.#readings.some(({ shard }) => shard.ShardId === parent)) continue;
      const { Records, NextShardIterator } = await this.#next(reading);
      if (Records.length > 0) {
        await handle(Records);
        this.#checkpoint(reading, Records.at(-1)!.dynamodb.SequenceNumber);
        recordCount += Records.length;
      }
      reading.iterator = NextShardIterator ?? undefined;
      if (!NextShardIterator) {
        this.#readings = this.#readings.filter((one) => one !== reading);
        await this.#discover('TRIM_HORIZON');
      }
    }
    return recordCount;
  }

  /** Takes up the shards that are new. */
  async #discover(from: StreamOptions['from']): Promise<void> {
    for (const shard of await this.#api.shards(this.#arn)) {
      if (this.#known.has(shard.ShardId)) continue;
      const reading = { shard, iterator: undefined, last: this.#handled[shard.ShardId] };
      await this.#openIterator(reading, from);
      this.#known.add(shard.ShardId);
      this.#readings.push(reading);
    }
  }

  async #openIterator(reading: Reading, from: StreamOptions['from']): Promise<void> {
    const { shard, last } = reading;
    const start: IteratorStart = last
      ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last }
      : { ShardIteratorType: from };
    try {
      reading.iterator = await this.#api.iterator(this.#arn, shard.ShardId, start);
    } catch (error) {
      if (!last || (error as Error).name !== 'TrimmedDataAccessException') throw error;
      // What was handled last has left the stream: everything in it is newer.
      reading.last = undefined;
      await this.#openIterator(reading, 'TRIM_HORIZON');
    }
  }

  async #next(reading: Reading) {
    if (!reading.iterator) await this.#openIterator(reading, 'TRIM_HORIZON');
    try {
      return await this.#api.records(reading.iterator!);
    } catch (error) {
      const { name } = error as Error;
      if (name === 'TrimmedDataAccessException') reading.last = undefined;
      // An iterator is good for 15 minutes, and this machine may have slept for longer.
      if (/ExpiredIterator|TrimmedData/.test(name)) reading.iterator = undefined;
      throw error;
    }
  }

  #checkpoint(reading: Reading, sequenceNumber: string): void {
    reading.last = sequenceNumber;
    this.#handled[reading.shard.ShardId] = sequenceNumber;
    if (!this.#file) return;
    const checkpoint: Checkpoint = { stream_arn: this.#arn, shards: this.#handled };
    replaceFile(this.#file, JSON.stringify(checkpoint));
  }
}

const readCheckpoint = (file: string | undefined, arn: string): Checkpoint | undefined => {
  if (!file || !existsSync(file)) return undefined;
  makePrivate(file);
  const saved = JSON.parse(readFileSync(file, 'utf8')) as Checkpoint;
  // A place that is kept may be of another database that was there.
  return saved.stream_arn === arn ? saved : undefined;
};
