import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openExits, outcomeOf } from '../../../lib/changes/exits.ts';
import { toOutgoingEvent } from '../../../lib/changes/outgoing-event.ts';
import { historyKey } from '../../support/keys.ts';

afterEach(() => vi.unstubAllEnvs());

const organization = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const lead = '01a1fc01-04c2-7516-b29c-4d6e78ac2694';

const eventOf = (version: number, fields: object = {}) =>
  toOutgoingEvent({
    ...historyKey(organization, lead, version),
    feed: '5d1b7c0a-9c36-5f0e-8a52-6b1f7e2d4c90',
    sequence: version,
    version,
    type: 'lead.updated',
    at: '2026-11-21T02:48:07.618Z',
    user_id: organization,
    changes: [{ field: 'contact_name', from: null, to: 'Maria Silva' }],
    ...fields,
  });

const eventsOf = (...versions: number[]) => versions.map((version) => eventOf(version));

type Said = { status?: number; body: object } | 'nothing';

/** What the bus and the queue are asked for, and what they answer: by what is in the request. */
const open = async (answer: (details: string[]) => Said) => {
  const asked: { target: unknown; body: Record<string, unknown>; details: string[] }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, unknown>;
    const entries = (body.Entries ?? []) as { Detail: string }[];
    const details = entries.map(({ Detail }) => String(JSON.parse(Detail).version));
    asked.push({ target: request.headers['x-amz-target'], body, details });
    const said = body.MessageBody ? sent(String(body.MessageBody)) : answer(details);
    if (said === 'nothing') return;
    response.writeHead(said.status ?? 200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(said.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    EVENTS_OUT_BUS: 'the-bus',
    UNDELIVERED_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/000000000000/Aside',
  })) {
    vi.stubEnv(name, value);
  }
  return { exits: openExits(), asked };
};

const sent = (text: string): Said => ({
  body: { MessageId: '1', MD5OfMessageBody: createHash('md5').update(text).digest('hex') },
});
const soon = () => Date.now() + 5000;
const failure = (__type: string, status: number): Said => ({
  status,
  body: { __type, message: 'no' },
});

test('events are put on the bus in one request, and each has its outcome', async () => {
  const Entries = [
    { EventId: 'e' },
    { ErrorCode: 'ThrottlingException' },
    { ErrorCode: 'MalformedDetail' },
  ];
  const { exits, asked } = await open(() => ({ body: { FailedEntryCount: 2, Entries } }));
  expect(await exits.put(eventsOf(1, 2, 3), soon())).toEqual([
    { kind: 'accepted' },
    { kind: 'later', code: 'ThrottlingException' },
    { kind: 'refused', code: 'MalformedDetail' },
  ]);
  const [{ target, details, body }, ...more] = asked as [(typeof asked)[number]];
  expect([target, details, more]).toEqual(['AWSEvents.PutEvents', ['1', '2', '3'], []]);
  const of = { EventBusName: 'the-bus', Source: 'leads-and-stars', DetailType: 'lead.updated' };
  expect(body.Entries).toMatchObject([of, of, of]);
});

// As EventBridge documents them: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
test.each([
  ['InternalFailure', 'later'],
  ['ThrottlingException', 'later'],
  // The bus is the cause, and somebody may mend it.
  ['AccessDeniedException', 'later'],
  ['NotAuthorizedForSourceException', 'later'],
  ['InvalidArgument', 'refused'],
  ['MalformedDetail', 'refused'],
  ['NotAuthorizedForDetailTypeException', 'refused'],
  ['SomethingNew', 'refused'],
  [undefined, 'later'],
])('an entry with %s is to be sent %s', (ErrorCode, kind) => {
  expect(outcomeOf(ErrorCode ? { ErrorCode } : undefined)).toMatchObject({ kind });
});

describe('a request that fails as a whole', () => {
  test.each([
    ['ThrottlingException', 400],
    ['InternalException', 500],
    ['AccessDeniedException', 400],
  ])('by %s is to be sent later, each event of it', async (type, status) => {
    const { exits, asked } = await open(() => failure(type, status));
    const outcome = { kind: 'later', code: type };
    expect(await exits.put(eventsOf(1, 2), soon())).toEqual([outcome, outcome]);
    expect(asked.length).toBe(1);
  });

  test('by its content is sent again, each event alone: one is refused for itself', async () => {
    const { exits, asked } = await open((details) =>
      details.includes('2')
        ? failure('ValidationException', 400)
        : { body: { FailedEntryCount: 0, Entries: details.map((EventId) => ({ EventId })) } },
    );
    expect(await exits.put(eventsOf(1, 2, 3), soon())).toEqual([
      { kind: 'accepted' },
      { kind: 'refused', code: 'ValidationException' },
      { kind: 'accepted' },
    ]);
    expect(asked.map(({ details }) => details.join()).sort()).toEqual(['1', '1,2,3', '2', '3']);
  });

  test('by no answer is given up while its function still runs', async () => {
    const { exits } = await open(() => 'nothing');
    const startedAt = Date.now();
    expect(await exits.put([eventOf(1)], Date.now() + 300)).toMatchObject([{ kind: 'later' }]);
    expect(Date.now() - startedAt).toBeLessThan(2000);
  });
});

test('an item of which no change can be made is an event without an entry', () => {
  expect(eventOf(7, { sequence: undefined })).toMatchObject({ entry: undefined, bytes: 0 });
  expect(eventOf(7).entry).toBeDefined();
});

test('what is set aside says where it is found, and why it can’t go; and nothing of a lead', async () => {
  const { exits, asked } = await open(() => 'nothing');
  await exits.setAside(eventOf(7), 'MalformedDetail');
  const [{ body }] = asked as [(typeof asked)[number]];
  expect(body.QueueUrl).toBe(process.env.UNDELIVERED_QUEUE_URL);
  expect(JSON.parse(String(body.MessageBody))).toEqual({
    why: 'MalformedDetail',
    organization_id: organization,
    feed_id: '5d1b7c0a-9c36-5f0e-8a52-6b1f7e2d4c90',
    sequence: 7,
    ...historyKey(organization, lead, 7),
  });
  expect(body.MessageBody).not.toContain('Maria');
});
