import { State } from '../state/state.ts';
import { type IteratorStart, type Shard, type StreamRecord, StreamsApi } from './streams-api.ts';

export interface StreamOptions {
  /** Where to begin when nothing is known of an earlier run. */
  from: 'TRIM_HORIZON' | 'LATEST';
  /** Whose place in the stream is kept, and where; without it, in memory. */
  reader?: string | undefined;
  state?: State | undefined;
}

interface Reading {
  shard: Shard;
  iterator: string | undefined;
}

/**
 * A table's stream on a local engine: each record at least once, in the order of its shard. It starts
 * where it is opened, so what is written after that is never missed.
 */
export class TableStream {
  readonly #api: StreamsApi;
  readonly #arn: string;
  readonly #reader: string;
  readonly #state: State;
  readonly #known = new Set<string>();
  #readings: Reading[] = [];

  private constructor(
    api: StreamsApi,
    arn: string,
    { reader = '', state = new State() }: StreamOptions,
  ) {
    this.#api = api;
    this.#arn = arn;
    this.#reader = reader;
    this.#state = state;
  }

  /** `arn` is the stream’s. */
  static async open(endpoint: string, arn: string, options: StreamOptions): Promise<TableStream> {
    const stream = new TableStream(new StreamsApi(endpoint), arn, options);
    await stream.#discover(options.from);
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
        this.#state.setPlace(this.#nameOf(reading), Records.at(-1)!.dynamodb.SequenceNumber);
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

  /** The name of its place in a shard. */
  #nameOf({ shard }: Pick<Reading, 'shard'>): string {
    return `stream ${this.#reader} ${shard.ShardId}`;
  }

  /** Takes up the shards that are new. */
  async #discover(from: StreamOptions['from']): Promise<void> {
    const shards = await this.#api.shards(this.#arn);
    const isKnown = shards.some((shard) => this.#state.place(this.#nameOf({ shard })));
    for (const shard of shards) {
      if (this.#known.has(shard.ShardId)) continue;
      const iterator = await this.#openIterator(shard, isKnown ? 'TRIM_HORIZON' : from);
      this.#known.add(shard.ShardId);
      this.#readings.push({ shard, iterator });
    }
  }

  async #openIterator(shard: Shard, from: StreamOptions['from']): Promise<string> {
    const last = this.#state.place(this.#nameOf({ shard }));
    const isThere = last !== undefined && (await this.#has(shard, last));
    return this.#api.iterator(
      this.#arn,
      shard.ShardId,
      isThere
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last }
        : { ShardIteratorType: last === undefined ? from : 'TRIM_HORIZON' },
    );
  }

  /** Whether the stream still has a record. An engine that forgot all of them may count anew, from 1. */
  async #has({ ShardId }: Shard, SequenceNumber: string): Promise<boolean> {
    try {
      const at: IteratorStart = { ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber };
      const { Records } = await this.#api.records(
        await this.#api.iterator(this.#arn, ShardId, at),
        1,
      );
      return Records[0]?.dynamodb.SequenceNumber === SequenceNumber;
    } catch (error) {
      if ((error as Error).name === 'TrimmedDataAccessException') return false;
      throw error;
    }
  }

  async #next(reading: Reading) {
    reading.iterator ??= await this.#openIterator(reading.shard, 'TRIM_HORIZON');
    try {
      return await this.#api.records(reading.iterator);
    } catch (error) {
      // An iterator is good for 15 minutes, and this machine may have slept for longer.
      if (/ExpiredIterator|TrimmedData/.test((error as Error).name)) reading.iterator = undefined;
      throw error;
    }
  }
}
