import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startQueuesApi } from '../src/events-in/queues-api.ts';
import type { Assembly } from '../src/template/assembly.ts';
import { readQueues } from '../src/template/queues.ts';
import { readSchedules } from '../src/template/schedules.ts';

const arn = 'arn:aws:sqs:us-east-1:000000000000:Wakes';
const url = 'https://sqs.us-east-1.amazonaws.com/000000000000/Wakes';
const [fifoArn, fifoUrl] = [`${arn}.fifo`, `${url}.fifo`];
const sender = {
  logicalId: 'Sender',
  name: 'sender',
  statements: [{ effect: 'Allow', actions: ['sqs:SendMessage'], resources: [arn, fifoArn] }],
};
const reader = { logicalId: 'Reader', name: 'reader', statements: [] };
const assembly = {
  functions: [sender, reader],
  queues: [
    { logicalId: 'Wakes', arn, url },
    { logicalId: 'Fifo', arn: fifoArn, url: fifoUrl, fifo: { deduplicates: true } },
  ],
  otherQueues: [],
} as unknown as Assembly;

type Sent = [body: string, delay: number, group: string | undefined];
const sent: Sent[] = [];
const queue = { send: (...message: Sent) => String(sent.push(message)) };
let api: Awaited<ReturnType<typeof startQueuesApi>>;
beforeAll(async () => {
  api = await startQueuesApi(
    assembly,
    new Map([
      ['Wakes', queue],
      ['Fifo', queue],
    ]) as never,
  );
});
afterAll(() => api.close());

const send = (
  input: Partial<ConstructorParameters<typeof SendMessageCommand>[0]>,
  as = 'LOCALSender',
) =>
  new SQSClient({
    endpoint: api.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: as, secretAccessKey: 'local' },
    maxAttempts: 1,
    useQueueUrlAsEndpoint: false,
  }).send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'hello', ...input }));

const sized = (length: number) => 'x'.repeat(length);

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error) => error.name,
  );

test('SQS’s own client sends a message, at once or with a delay, of a group or of none', async () => {
  const { MessageId } = await send({});
  expect(MessageId).toBe(String(sent.length));
  await send({ MessageBody: 'ä 🦄', DelaySeconds: 900, MessageGroupId: 'one' });
  await send({ QueueUrl: fifoUrl, MessageGroupId: 'one' });
  expect(await refusal(send({ MessageBody: sized(1024 * 1024) }))).toBe('taken');
  expect(sent.slice(-4, -1)).toEqual([
    ['hello', 0, undefined],
    ['ä 🦄', 900_000, 'one'],
    ['hello', 0, 'one'],
  ]);
});

const fifo = { QueueUrl: fifoUrl, MessageGroupId: 'one' };
const [denied, invalid] = ['AccessDenied', 'InvalidParameterValue'];
test.each<[string, Parameters<typeof send>, string]>([
  ['by a function whose role does not allow it', [{}, 'LOCALReader'], denied],
  ['by nobody that the runner knows', [{}, 'local'], denied],
  ['to another queue', [{ QueueUrl: `${url}2` }], denied],
  ['delayed for longer than SQS does', [{ DelaySeconds: 901 }], invalid],
  ['with no body', [{ MessageBody: '' }], invalid],
  ['of more than 1 MiB', [{ MessageBody: sized(1024 * 1024 + 1) }], invalid],
  ['of a group of 129 characters', [{ MessageGroupId: sized(129) }], invalid],
  ['of no group, to a FIFO queue', [{ QueueUrl: fifoUrl }], invalid],
  ['with a delay, to a FIFO queue', [{ ...fifo, DelaySeconds: 1 }], invalid],
  ['with what is not played here', [{ MessageDeduplicationId: 'x' }], 'UnsupportedOperation'],
])('SQS’s own client is refused a message %s', async (_what, [input, as], name) => {
  const before = sent.length;
  expect(await refusal(send(input, as))).toBe(name);
  expect(sent.length).toBe(before);
});

test('another operation of SQS is refused', async () => {
  const response = await fetch(api.endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
    body: '{}',
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { __type: 'com.amazonaws.sqs#UnsupportedOperation', message: expect.any(String) },
  ]);
});

test('a schedule of minutes is read, and others are refused', () => {
  const every5 = { ScheduleExpression: 'rate(5 minutes)' };
  const Arn = { 'Fn::GetAtt': ['Worker', 'Arn'] };
  const read = (properties: object) =>
    readSchedules({
      Worker: { Type: 'AWS::Lambda::Function', Properties: {} },
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { Targets: [{ Arn, Id: 'Target0' }], ...properties },
      },
    });
  const expected = { ruleLogicalId: 'Rule', functionLogicalId: 'Worker', everyMinutes: 5 };
  expect(read(every5)).toEqual([expected]);
  expect(read({ EventPattern: {} })).toEqual([]);
  for (const other of [
    { ScheduleExpression: 'cron(0 12 * * ? *)' },
    { ...every5, Targets: [{ Arn: 'elsewhere', Id: '0' }] },
    { ...every5, Targets: [{ Arn, Id: '0', Input: '{}' }] },
  ]) {
    expect(() => read(other)).toThrow(/does not know/);
  }
});

test.each([
  [{}, {}],
  [{ FifoQueue: true }, { fifo: { deduplicates: false } }],
  [{ FifoQueue: true, ContentBasedDeduplication: true }, { fifo: { deduplicates: true } }],
])('a queue is read with the function that empties it: %j', (properties, expected) => {
  const deadLetterTargetArn = { 'Fn::GetAtt': ['DeadLetters', 'Arn'] };
  const resources = {
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        RedrivePolicy: { maxReceiveCount: 10, deadLetterTargetArn },
        ...properties,
      },
    },
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: {} },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: 'Queue.Arn',
        FunctionName: { Ref: 'Worker' },
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: 2 },
      },
    },
  };
  const resolve = (value: unknown) => {
    const { Ref, 'Fn::GetAtt': attribute } = value as Record<string, string[] | string>;
    return attribute ? (attribute as string[]).join('.') : (Ref ?? value);
  };
  expect(readQueues(resources, resolve)).toEqual([
    {
      logicalId: 'Queue',
      arn: 'Queue.Arn',
      url: 'Queue',
      functionLogicalId: 'Worker',
      batchSize: 1,
      atOnce: 2,
      partialResponses: false,
      maxReceiveCount: 10,
      deadLetters: 'DeadLetters',
      ...expected,
    },
  ]);
});
