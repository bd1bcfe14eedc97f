import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { changeIndex } from '../../lib/table/keys.ts';
import type { Key } from '../../lib/table/place.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import { unitsOf } from '../../lib/table/units.ts';
import { inTurns } from './in-turns.ts';

/** Items of one request at most. */
const [mostWrites, pageSize] = [25, 1000];
/** Requests that write at the same time. */
const chunksAtOnce = 4;
/** Milliseconds before what DynamoDB had no room for is sent again, doubled up to eight times. */
const pauseMs = 50;

const ofPartition = (pk: string) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': pk },
  ConsistentRead: true,
});

/** A table, that of `openTarget` unless told, to read, copy and delete items of any kind. It counts what that takes. */
export class WholeTable {
  readonly #client = DynamoDBDocumentClient.from(new DynamoDBClient());
  readonly #name: string | undefined;
  /** Capacity units, of the table and its indexes. */
  readonly units = { read: 0, written: 0 };
  deletedItems = 0;

  constructor(name = process.env.TABLE_NAME) {
    this.#name = name;
  }

  /** The keys in a partition, strongly consistent, a page at a time. */
  async *keysIn(pk: string): AsyncGenerator<Key[]> {
    const pages = this.#pages({ ...ofPartition(pk), ProjectionExpression: 'pk, sk' });
    for await (const items of pages) yield items.map(toKey);
  }

  /** The keys in a feed, in the order of their numbers, a page at a time. The index lags a moment. */
  async *keysInFeed(feedId: string): AsyncGenerator<Key[]> {
    const pages = this.#pages({
      IndexName: changeIndex.name,
      KeyConditionExpression: 'feed = :feed',
      ExpressionAttributeValues: { ':feed': feedId },
      ProjectionExpression: 'pk, sk',
    });
    for await (const items of pages) yield items.map(toKey);
  }

  /** Puts what another table has in a partition. */
  async copyPartition(from: WholeTable, pk: string): Promise<void> {
    for await (const items of from.#pages(ofPartition(pk))) {
      await this.#write(items.map((Item) => ({ PutRequest: { Item } })));
    }
  }

  async *#pages(query: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item[]> {
    const pages = paginateQuery(
      { client: this.#client, pageSize },
      { ...query, TableName: this.#name, ReturnConsumedCapacity: 'TOTAL' },
    );
    for await (const page of pages) {
      this.units.read += unitsOf(page);
      yield page.Items ?? [];
    }
  }

  /** Deletes items: those that are not there, too. */
  async delete(keys: readonly Key[]): Promise<void> {
    await this.#write(keys.map((key) => ({ DeleteRequest: { Key: toKey(key) } })));
    this.deletedItems += keys.length;
  }

  async deletePartition(pk: string): Promise<void> {
    for await (const keys of this.keysIn(pk)) await this.delete(keys);
  }

  async #write(requests: readonly object[]): Promise<void> {
    const chunks = Array.from({ length: Math.ceil(requests.length / mostWrites) }, (_, i) =>
      requests.slice(i * mostWrites, (i + 1) * mostWrites),
    );
    await inTurns(chunks, chunksAtOnce, (chunk) => this.#writeChunk(chunk));
  }

  async #writeChunk(requests: readonly object[]): Promise<void> {
    let left = [...requests];
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt > 0) await wait(pauseMs * 2 ** Math.min(attempt, 8));
      const output = await this.#client.send(
        new BatchWriteCommand({
          RequestItems: { [this.#name ?? '']: left },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      );
      this.units.written += unitsOf(output);
      left = output.UnprocessedItems?.[this.#name ?? ''] ?? [];
    }
  }
}
