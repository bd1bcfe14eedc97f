import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../lib/table/table.ts';

export interface ScannedTable {
  client: DynamoDBClient;
  name: string | undefined;
}

/** Reads the whole of a table, that of `openTarget` unless told, for what has no list of its own. */
export async function* scan(
  input: Omit<ScanCommandInput, 'TableName'>,
  { client, name }: ScannedTable = { client: new DynamoDBClient(), name: process.env.TABLE_NAME },
): AsyncGenerator<Item> {
  const pages = paginateScan(
    { client: DynamoDBDocumentClient.from(client) },
    { ...input, TableName: name },
  );
  for await (const { Items = [] } of pages) yield* Items;
}
