import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';

// The floor: what any function needs that reads from DynamoDB.

const table = DynamoDBDocumentClient.from(new DynamoDBClient());

export const handler = async (event: APIGatewayProxyEvent) => {
  const { Item } = await table.send(
    new GetCommand({
      TableName: process.env.TABLE_NAME,
      Key: { pk: `ORG#${event.headers['X-Organization-Id']}`, sk: 'WALLET' },
    }),
  );
  return { statusCode: Item ? 200 : 404, body: JSON.stringify(Item ?? {}) };
};
