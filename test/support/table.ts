import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { adminClient, credentialsFor } from '@leads-and-stars/runner';
import { inject } from 'vitest';
import { openTable, type TableClient } from '../../lib/table/client.ts';

/** The engine itself, past the functions and their permissions. */
export const table = DynamoDBDocumentClient.from(adminClient(inject('service').tableEndpoint));

/** The functions' own client of a table, in this process: its variables lead there from now on. */
export const openTableAt = (endpoint: string, name: string): TableClient => {
  Object.assign(process.env, {
    TABLE_NAME: name,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentialsFor(endpoint).accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  return openTable();
};
