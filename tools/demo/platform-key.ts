import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { TableClient } from '../../lib/table/client.ts';
import { createPlatformKey, type NewPlatformKey } from '../admin/platform-keys.ts';

/** The table of a service on this machine, past the functions' permissions: none of them can make a platform key. */
export const localTable = (endpoint: string, name: string): TableClient =>
  new TableClient(
    DynamoDBDocumentClient.from(adminClient(endpoint), {
      marshallOptions: { removeUndefinedValues: true },
    }),
    name,
  );

/** A platform key of a service on this machine. */
export const localPlatformKey = async (
  endpoint: string,
  tableName: string,
  fields: Partial<NewPlatformKey> = {},
): Promise<string> => {
  const table = localTable(endpoint, tableName);
  const { key } = await createPlatformKey(table, { name: 'Local', role: 'platform', ...fields });
  return key;
};
