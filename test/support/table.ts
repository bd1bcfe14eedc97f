import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { adminClient, credentials } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/place.ts';
import type { Item } from '../../lib/table/table.ts';

/** The engine itself, past the functions and their permissions. */
export const table = DynamoDBDocumentClient.from(adminClient(inject('service').tableEndpoint));

/** All items of a partition, which must not be more than a page. */
export const itemsOf = async (pk: string): Promise<Item[]> => {
  const query = {
    TableName: inject('service').tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ConsistentRead: true,
  };
  const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
  if (LastEvaluatedKey) throw new Error(`${pk} has more than a page`);
  return Items;
};

/** Changes fields of an item, past the service. Others, as an entry's number that comes meanwhile, stay. */
export const setFields = ({ pk, sk }: Key, fields: Readonly<Record<string, unknown>>) => {
  const all = Object.entries(fields);
  const update = {
    TableName: inject('service').tableName,
    Key: { pk, sk },
    UpdateExpression: `SET ${all.map(([name]) => `#${name} = :${name}`)}`,
    ExpressionAttributeNames: Object.fromEntries(all.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(all.map(([name, one]) => [`:${name}`, one])),
  };
  return table.send(new UpdateCommand(update));
};

/** The functions' own client of a table, in this process: its variables lead there from now on. */
export const openTableAt = (endpoint: string, name: string): TableClient => {
  Object.assign(process.env, {
    TABLE_NAME: name,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  return openTable();
};
