import { randomUUID } from 'node:crypto';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  accessKeyOf,
  type BusEvent,
  credentials,
  type LogLine,
  type RunningApp,
  region,
  startApp,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually, send } from './support.ts';

// The whole app, played: each way in, and the way out.

const sent: BusEvent[] = [];
/** Codes with which the bus refuses the next events of functions. */
const refusals: string[] = [];
const lines: LogLine[] = [];
let app: RunningApp;

beforeAll(async () => {
  app = await startApp({
    directory: inject('appDirectory'),
    stack: 'MyApp',
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 2,
    onEvent: (event) => refusals.shift() ?? sent.push(event),
    logs: (_name, line) => lines.push(line),
  });
});

afterAll(() => app?.close());

const once = { region, credentials, maxAttempts: 1 };
/** Puts events on a bus, as a program of this machine unless told. */
const put = async (entries: object[], given = credentials) => {
  const client = new EventBridgeClient({
    ...once,
    endpoint: app.eventsEndpoint,
    credentials: given,
  });
  const usual = { EventBusName: 'MyApp-in', Source: 'a', DetailType: 'b', Detail: '{}' };
  return client.send(
    new PutEventsCommand({ Entries: entries.map((entry) => ({ ...usual, ...entry })) }),
  );
};

const post = (topic: string, text: string) =>
  send(`${app.baseUrl}/notes`, { body: JSON.stringify({ topic, text }) });
const get = (id: string) => send(`${app.baseUrl}/notes/${id}`, { method: 'GET' });

const count = async (event: object, name = 'MyApp-CountNotes') => {
  const client = new LambdaClient({ ...once, endpoint: app.lambdaEndpoint });
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
  );
  return { FunctionError, answer: JSON.parse(Payload?.transformToString() ?? '') };
};

test('a route writes to the table and another reads it, each as its role allows', async () => {
  const { status, json } = await post('garden', 'water it');
  expect(status).toBe(201);
  const { id } = json();
  expect((await get(id)).json()).toEqual({ topic: 'garden', text: 'water it' });
  expect((await get(randomUUID())).status).toBe(404);
  const refused = await send(`${app.baseUrl}/notes/${id}`, { method: 'DELETE' });
  expect(refused.json()).toEqual({ refused: 'AccessDeniedException' });
  expect((await get('forbidden')).status).toBe(404);
});

test('a function without a route is invoked by Lambda’s own API, and its error comes back', async () => {
  const topic = randomUUID();
  await post(topic, 'one');
  await post(topic, 'two');
  expect(await count({ topic })).toEqual({ FunctionError: undefined, answer: { notes: 2 } });
  expect(await count({})).toEqual({
    FunctionError: 'Unhandled',
    answer: { errorType: 'TypeError', errorMessage: 'a topic is missing' },
  });
  await expect(count({ topic }, 'MyApp-Unknown')).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('an event reaches a function by its rule and queue; one that keeps failing is a dead letter', async () => {
  const [topic, id] = [randomUUID(), randomUUID()];
  const event = (DetailType: string, text: string, of = randomUUID()) => ({
    Source: 'writer',
    DetailType,
    Detail: JSON.stringify({ id: of, topic, text }),
  });
  const { FailedEntryCount } = await put([
    event('note.sent', 'by mail', id),
    event('note.sent', 'fail'),
    event('note.unknown', 'of no rule'),
  ]);
  expect(FailedEntryCount).toBe(0);
  const dead = () =>
    lines.filter(({ message }) => (message as { dead_letter?: string }).dead_letter);
  await eventually('a dead letter', () => dead().length > 0);
  expect(dead()).toMatchObject([{ message: { function: 'MyApp-TakeNotes', deliveries: 2 } }]);
  expect((await get(id)).json()).toEqual({ topic, text: 'by mail' });
  expect((await count({ topic })).answer).toEqual({ notes: 1 });
});

test('what is written reaches the bus by the stream and a function; it refuses what it is told to, and what a role does not allow', async () => {
  const topic = randomUUID();
  refusals.push('ThrottlingException', 'MalformedDetail');
  await post(topic, 'refused twice');
  const ofTopic = () => sent.filter(({ detail }) => detail.topic === topic);
  await eventually('the third try', () => ofTopic().length === 1);
  expect(ofTopic()).toMatchObject([
    { source: 'notes', 'detail-type': 'note.stored', detail: { topic } },
  ]);
  const codeOf = async (accessKeyId: string, EventBusName: string) =>
    (await put([{ EventBusName }], { accessKeyId, secretAccessKey: 'local' })).Entries?.[0]
      ?.ErrorCode;
  const { functions } = app.assembly;
  const [publisher, reader] = ['SendNotes', 'GetNote'].map((id) =>
    accessKeyOf(functions.find(({ name }) => name === `MyApp-${id}`)!),
  );
  expect(await codeOf(publisher!, 'MyApp-out')).toBeUndefined();
  expect(await codeOf(publisher!, 'MyApp-in')).toBe('AccessDeniedException');
  expect(await codeOf(reader!, 'MyApp-out')).toBe('AccessDeniedException');
});

test('a request of PutEvents has up to ten entries, and less than a megabyte in all', async () => {
  /** Entries with that many bytes in all: all of them but the braces in the first. */
  const taken = (count: number, bytes: number) => {
    const text = 'x'.repeat(bytes - 2 * count - '{"":""}'.length * count);
    const Detail = (i: number) => JSON.stringify({ '': i === 0 ? text : '' });
    const sized = { Source: 's', DetailType: 't' };
    return put(Array.from({ length: count }, (_, i) => ({ ...sized, Detail: Detail(i) }))).then(
      ({ FailedEntryCount }) => FailedEntryCount,
      ({ name }) => name,
    );
  };
  expect(await taken(10, 1000)).toBe(0);
  expect(await taken(11, 1000)).toBe('ValidationException');
  expect(await taken(10, 1024 * 1024 - 1)).toBe(0);
  expect(await taken(10, 1024 * 1024)).toBe('ValidationException');
});

test('a message in a queue that no function empties is told in the log', async () => {
  const topic = randomUUID();
  await post(topic, 'undeliverable');
  const told = () => lines.filter(({ message }) => (message as { queue?: string }).queue);
  await eventually('the message', () => told().length > 0);
  expect(told()).toMatchObject([{ message: { body: topic } }]);
});
