import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { changeIndex } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/place.ts';
import { type Item, toKey } from '../../../lib/table/table.ts';
import { unitsOf, type WithCapacity } from '../../../lib/table/units.ts';

/** Items of one request at most. */
const [mostDeletes, pageSize] = [25, 200];
/** Requests that delete at the same time. */
const deletesAtOnce = 4;
/** Milliseconds before what DynamoDB had no room for is sent again, doubled up to eight times. */
const pauseMs = 50;

/** The table of `openTarget`, to read and delete items of any kind by their keys. It counts what that takes. */
export class WholeTable {
  readonly #client = DynamoDBDocumentClient.from(new DynamoDBClient());
  readonly #name = process.env.TABLE_NAME;
  /** Capacity units, of the table and its indexes. */
  readonly units = { read: 0, written: 0 };
  deletedItems = 0;

  /** The keys in a partition, strongly consistent, a page at a time. */
  async *keysIn(pk: string): AsyncGenerator<Key[]> {
    const pages = paginateQuery(
      { client: this.#client, pageSize: 1000 },
      {
        TableName: this.#name,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ProjectionExpression: 'pk, sk',
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      },
    );
    for await (const page of pages) {
      this.#noteRead(page);
      yield (page.Items ?? []).map(toKey);
    }
  }

  /** The items of a feed, in the order of their numbers, a page at a time. The index lags a moment. */
  async *feed(feedId: string): AsyncGenerator<Item[]> {
    const pages = paginateQuery(
      { client: this.#client, pageSize },
      {
        TableName: this.#name,
        IndexName: changeIndex.name,
        KeyConditionExpression: 'feed = :feed',
        ExpressionAttributeValues: { ':feed': feedId },
        ProjectionExpression: 'pk, sk',
        ReturnConsumedCapacity: 'TOTAL',
      },
    );
    for await (const page of pages) {
      this.#noteRead(page);
      yield page.Items ?? [];
    }
  }

  /** Deletes items: those that are not there, too. */
  async delete(keys: readonly Key[]): Promise<void> {
    const chunks = Array.from({ length: Math.ceil(keys.length / mostDeletes) }, (_, i) =>
      keys.slice(i * mostDeletes, (i + 1) * mostDeletes),
    );
    await inTurns(chunks, deletesAtOnce, (chunk) => this.#deleteChunk(chunk));
    this.deletedItems += keys.length;
  }

  async deletePartition(pk: string): Promise<void> {
    for await (const keys of this.keysIn(pk)) await this.delete(keys);
  }

  async #deleteChunk(keys: readonly Key[]): Promise<void> {
    let left = keys.map((key) => ({ DeleteRequest: { Key: toKey(key) } })) as object[];
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

  #noteRead(page: WithCapacity): void {
    this.units.read += unitsOf(page);
  }
}

/** Has each element of a list worked on: `atOnce` elements at the same time. */
export const inTurns = async <T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<void>,
): Promise<void> => {
  const left = [...all];
  const workOn = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, workOn));
};
