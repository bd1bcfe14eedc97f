import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../lib/table/table.ts';

/** Reads the whole of the table that `openTarget` has found, for what has no list of its own. */
export async function* scan(input: Omit<ScanCommandInput, 'TableName'>): AsyncGenerator<Item> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  for await (const { Items = [] } of paginateScan(
    { client },
    { ...input, TableName: process.env.TABLE_NAME },
  )) {
    yield* Items;
  }
}
