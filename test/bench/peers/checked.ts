import { createPublicKey, verify } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { issuerKeysKey } from '../../../lib/table/keys.ts';

// The floor, and the check of a token. It finds the keys where the service's own functions do. It checks only when the
// token ends and its signature, with Node.js itself: less than a service may check.

const table = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.TABLE_NAME;

const read = async (Key: object) => {
  const { Item } = await table.send(new GetCommand({ TableName, Key: { ...Key } }));
  return Item;
};

const kept = read(issuerKeysKey(process.env.JWKS_URI ?? ''));

const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

const isValid = async (token: string): Promise<boolean> => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { kid } = decoded(header);
  const set = JSON.parse(String((await kept)?.key_set));
  const key = createPublicKey({
    key: set.keys.find((one: { kid: string }) => one.kid === kid),
    format: 'jwk',
  });
  const signed = Buffer.from(`${header}.${payload}`);
  return (
    decoded(payload).exp > Date.now() / 1000 &&
    verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))
  );
};

export const handler = async ({ headers }: APIGatewayProxyEvent) => {
  if (!(await isValid((headers.Authorization ?? '').slice('Bearer '.length)))) {
    return { statusCode: 401, body: '' };
  }
  const Item = await read({ pk: `ORG#${headers['X-Organization-Id']}`, sk: 'WALLET' });
  return { statusCode: Item ? 200 : 404, body: JSON.stringify(Item ?? {}) };
};
