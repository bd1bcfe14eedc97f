import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DescribeTableCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { inject } from 'vitest';

/** Makes an empty table beside the one in use, with the same keys and indexes. No function reads its stream. */
export const makeTable = async (TableName = `another-${randomUUID()}`): Promise<string> => {
  const { tableEndpoint, tableName } = inject('service');
  const client = adminClient(tableEndpoint);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  await client.send(
    new CreateTableCommand({
      TableName,
      KeySchema: Table!.KeySchema,
      AttributeDefinitions: Table!.AttributeDefinitions,
      BillingMode: 'PAY_PER_REQUEST',
      GlobalSecondaryIndexes: Table!.GlobalSecondaryIndexes!.map(
        ({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }),
      ),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1 }, { TableName });
  return TableName;
};
