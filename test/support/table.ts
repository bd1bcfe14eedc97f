import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { adminClient } from '../../infra/local/table/table.ts';

/** The engine itself, past the functions and their permissions. */
export const table = DynamoDBDocumentClient.from(adminClient(inject('service').tableEndpoint));
