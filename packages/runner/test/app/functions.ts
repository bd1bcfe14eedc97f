import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent, DynamoDBRecord, SQSEvent } from 'aws-lambda';

// Notes: each has a text, and belongs to a topic.

const client = new DynamoDBClient();
const TableName = process.env.TABLE_NAME;

const keyOf = (id: string) => ({ pk: { S: `NOTE#${id}` }, sk: { S: 'NOTE' } });

const store = async (id: string, topic: string, text: string): Promise<void> => {
  const Item = { ...keyOf(id), topic: { S: topic }, text: { S: text } };
  await client.send(new PutItemCommand({ TableName, Item }));
};

const answer = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** `POST /notes`, which may only write. */
export const postNote = async ({ body }: APIGatewayProxyEvent) => {
  const { topic, text } = JSON.parse(body ?? '{}');
  const id = randomUUID();
  await store(id, topic, text);
  return answer(201, { id, topic, text });
};

/** `GET /notes/{id}`, which may only read. */
export const getNote = async ({ pathParameters }: APIGatewayProxyEvent) => {
  const Key = keyOf(pathParameters?.id ?? '');
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item ? answer(200, { topic: Item.topic?.S, text: Item.text?.S }) : answer(404, {});
};

/** `DELETE /notes/{id}` as its author meant it, who forgot the permission: the table is not to be written. */
export const forbiddenWrite = async () => {
  try {
    await store('forbidden', 'none', '');
    return answer(200, { stored: true });
  } catch (error) {
    return answer(200, { refused: (error as Error).name });
  }
};

/** Takes `note.sent` from the queue. A text of `fail` fails. */
export const takeNotes = async ({ Records }: SQSEvent) => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { messageId, body } of Records) {
    const { detail } = JSON.parse(body);
    if (detail.text === 'fail') batchItemFailures.push({ itemIdentifier: messageId });
    else await store(detail.id, detail.topic, detail.text);
  }
  return { batchItemFailures };
};

/** Makes an event of each new note that comes from the table's stream. */
export const describeNotes = async (records: DynamoDBRecord[]) =>
  records.map(({ dynamodb }) => {
    const image = dynamodb?.NewImage as Record<string, AttributeValue>;
    return { type: 'note.stored', topic: image.topic?.S, text: image.text?.S };
  });

/** Without a route, for other programs to invoke. */
export const countNotes = async ({ topic }: { topic: string }) => {
  if (!topic) throw new TypeError('a topic is missing');
  const { Count } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'by_topic',
      KeyConditionExpression: 'topic = :topic',
      ExpressionAttributeValues: { ':topic': { S: topic } },
    }),
  );
  return { notes: Count };
};
