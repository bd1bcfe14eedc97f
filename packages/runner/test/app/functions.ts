import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEvent, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';

// Notes: each has a text, and belongs to a topic.

const client = new DynamoDBClient();
const events = new EventBridgeClient();
const queues = new SQSClient({ useQueueUrlAsEndpoint: false });
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

/** Puts each new note that comes from the table's stream on a bus. Fails if the bus refuses one. */
export const sendNotes = async ({ Records }: DynamoDBStreamEvent) => {
  for (const { dynamodb } of Records) {
    const image = dynamodb?.NewImage as Record<string, AttributeValue>;
    const [topic, text] = [image.topic?.S ?? '', image.text?.S];
    if (text === 'undeliverable') {
      const { UNSENT: QueueUrl } = process.env;
      await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: topic }));
      continue;
    }
    const Detail = JSON.stringify({ topic, text });
    const entry = { EventBusName: process.env.BUS, Source: 'notes', DetailType: 'note.stored' };
    const { Entries } = await events.send(
      new PutEventsCommand({ Entries: [{ ...entry, Detail }] }),
    );
    if (Entries?.[0]?.ErrorCode) throw new Error(Entries[0].ErrorCode);
  }
};

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
