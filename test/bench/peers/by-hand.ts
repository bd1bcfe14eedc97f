import { createHash, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { JwtVerifier } from 'aws-jwt-verify';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { toWrites } from '../../../lib/facts/transaction.ts';
import { leadInput, newLead } from '../../../lib/leads/lead.ts';
import { createLeadWrites } from '../../../lib/leads/lead-writes.ts';
import { pipelineKind, toPipeline } from '../../../lib/pipelines/pipeline.ts';
import { places } from '../../../lib/table/keys.ts';

// `createLead` as one writes it by hand on the SDK: the same token, the same requests to DynamoDB with the same items, and
// nothing that is not needed for a request that is right.

const TableName = process.env.TABLE_NAME ?? '';
const table = DynamoDBDocumentClient.from(new DynamoDBClient(), {
  marshallOptions: { removeUndefinedValues: true },
});
const jwksUri = process.env.JWKS_URI ?? '';
const verifier = JwtVerifier.create({
  issuer: process.env.ISSUER ?? '',
  audience: process.env.AUDIENCE ?? '',
  jwksUri,
});
// As the service's own functions find them: in the table, read while the code is loaded.
const keys = table
  .send(new GetCommand({ TableName, Key: places.issuerKeys.key({ uri: jwksUri }) }))
  .then(({ Item }) => verifier.cacheJwks(JSON.parse(Item?.key_set)));

const callerOf = async ({ headers }: APIGatewayProxyEvent) => {
  await keys;
  const { sub } = await verifier.verify((headers.Authorization ?? '').slice('Bearer '.length));
  return { organizationId: headers['X-Organization-Id'] ?? '', userId: sub ?? '' };
};

type Caller = Awaited<ReturnType<typeof callerOf>>;

const roleOf = async ({ organizationId, userId }: Caller): Promise<string | undefined> => {
  const Key = places.member.key({ organizationId, userId });
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item?.role;
};

const answer = (statusCode: number, body: unknown) => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** What a lead has that is not told; each request tells the other two. */
const empty = leadInput.parse({ contact_name: 'Nobody', pipeline_id: randomUUID() });

const readFor = async ({ organizationId, userId }: Caller, pipelineId: string, key: string) => {
  const pipeline = places.pipeline.key({ organizationId, pipelineId });
  const record = places.idempotencyRecord.key({
    organizationId,
    userId,
    record: `createLead#${key}`,
  });
  const { Responses } = await table.send(
    new BatchGetCommand({
      RequestItems: { [TableName]: { Keys: [pipeline, record], ConsistentRead: true } },
    }),
  );
  const found = Responses?.[TableName] ?? [];
  const item = found.find(({ pk }) => pk === pipeline.pk);
  return { record, pipeline: item && pipelineKind.parse(item) };
};

export const handler = async (event: APIGatewayProxyEvent) => {
  const caller = await callerOf(event);
  const input = JSON.parse(event.body ?? '');
  const key = event.headers['Idempotency-Key'] ?? '';
  const [role, { record, pipeline }] = await Promise.all([
    roleOf(caller),
    readFor(caller, input.pipeline_id, key),
  ]);
  if (!role) return answer(403, {});
  if (!pipeline) return answer(400, {});
  const lead = newLead({ ...empty, ...input }, toPipeline(pipeline));
  const fingerprint = createHash('sha256')
    .update(event.body ?? '')
    .digest('base64url');
  const Item = {
    ...record,
    fingerprint,
    raw: fingerprint,
    reply: JSON.stringify({ body: lead }),
    expires_at: Math.floor(Date.now() / 1000) + 86_400,
  };
  const guard = { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  const origin = { by: caller.userId, requestId: randomUUID() };
  const changed = createLeadWrites(caller, lead, toPipeline(pipeline));
  const writes = toWrites(changed, origin).map(({ refused: _, namesRecord: __, ...write }) =>
    Object.fromEntries(
      Object.entries(write).map(([kind, one]) => [kind, { ...(one as object), TableName }]),
    ),
  );
  await table.send(
    new TransactWriteCommand({
      ClientRequestToken: randomUUID(),
      TransactItems: [guard, ...(writes as (typeof guard)[])],
    }),
  );
  return answer(201, lead);
};
