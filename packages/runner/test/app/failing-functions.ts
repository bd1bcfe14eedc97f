import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

if (process.env.FAILS_AT === 'load') throw new Error('does not load');

/** Names this process, whose memory outlives an event. */
const environment = randomUUID();

const json = (body: unknown): APIGatewayProxyResult => ({
  statusCode: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** Tells what it was given, and how much it is as JSON: a body that is too long for an answer is left out. */
export const echo = async (
  event: APIGatewayProxyEvent,
  { awsRequestId }: { awsRequestId: string },
) => {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  const body = bytes > 1_000_000 ? null : event.body;
  return json({ event: { ...event, body }, bytes, awsRequestId, variables: process.env });
};

/** An answer of that many bytes as JSON. */
const ofSize = (bytes: number) => {
  const rest = JSON.stringify({ statusCode: 200, body: '' }).length;
  return { statusCode: 200, body: 'x'.repeat(bytes - rest) };
};
const mostAnswer = 6_291_556;

type Behavior = (event: APIGatewayProxyEvent) => unknown;

const wellBehaved: Record<string, Behavior> = {
  answers: async () => json({ environment }),
  'answers base64': async () => ({
    statusCode: 201,
    headers: { 'Content-Type': 'image/gif' },
    multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
    body: Buffer.from([0xff, 0x00, 0xfe]).toString('base64'),
    isBase64Encoded: true,
  }),
  'answers the headers of its body': ({ body }) => ({
    statusCode: 200,
    headers: JSON.parse(body ?? ''),
  }),
  'answers as much as it may': () => ofSize(mostAnswer),
  'answers after 0.8 s': async () => {
    await wait(800);
    return json({ environment });
  },
  'answers, then exits': async () => {
    setTimeout(() => process.exit(1), 5);
    return json({ environment });
  },
};

/** In each way that a function can fail. */
const illBehaved: Record<string, Behavior> = {
  throws: () => {
    throw new Error('thrown');
  },
  'throws nothing of use': () => {
    throw undefined;
  },
  exits: () => process.exit(1),
  'is killed': () => process.kill(process.pid, 'SIGKILL'),
  'fails behind its own back': () => {
    void Promise.reject(new Error('not awaited'));
    return new Promise(() => {});
  },
  'loops forever': () => {
    for (;;);
  },
  'never answers': () => new Promise(() => {}),
  'answers nothing': () => undefined,
  'answers a text': () => 'well',
  'answers without a status': () => ({ body: '{}' }),
  'answers an unknown status': () => ({ statusCode: 99, body: '{}' }),
  'answers a body that is no text': () => ({ statusCode: 200, body: { well: true } }),
  'answers more than it may': () => ofSize(mostAnswer + 1),
  'answers an impossible header': () => ({ ...json({}), headers: { 'X-Broken': 'a\nb' } }),
};

export const waysToFail = Object.keys(illBehaved);

/** Does what the query says. Its log tells which request made it do so. */
export const behave = async (event: APIGatewayProxyEvent) => {
  const how = event.queryStringParameters?.how ?? '';
  console.info({ how, request: event.requestContext.requestId });
  return { ...wellBehaved, ...illBehaved }[how]?.(event);
};

let underWay = 0;
let most = 0;

/**
 * Notes in a directory's log that it is there, and goes when a file of the directory exists: so it
 * is the test that says how long events are under way. Tells how many ever were in this process.
 */
export const meet = async (event: APIGatewayProxyEvent) => {
  const { directory = '', name = '', until = '' } = event.queryStringParameters ?? {};
  underWay++;
  most = Math.max(most, underWay);
  appendFileSync(join(directory, 'log'), `${name} came\n`);
  appendFileSync(join(directory, name), '');
  const deadline = Date.now() + 7000;
  while (!existsSync(join(directory, until)) && Date.now() < deadline) await wait(10);
  appendFileSync(join(directory, 'log'), `${name} went\n`);
  underWay--;
  return json({ environment, most, met: existsSync(join(directory, until)) });
};

class Refusal extends Error {
  override name = 'refused';
  details = [{ path: 'amount' }];
}

/** Calls console in each way there is, and throws an error that was given more. */
export const logs = async () => {
  const itself: Record<string, unknown> = {};
  itself.itself = itself;
  const levels = ['trace', 'debug', 'log', 'info', 'warn', 'error', 'fatal'];
  for (const level of levels)
    (console as unknown as Record<string, (text: string) => void>)[level]?.(level);
  console.info({ a: { b: 1, c: undefined } });
  console.info(null);
  console.info(undefined);
  console.info();
  console.info(1n);
  console.info(itself);
  console.info('%s of %d', 'one', 2, { more: true });
  console.info(['a', new Refusal('in a list')]);
  console.error(new TypeError('a bug\nin two lines', { cause: new Error('its cause') }));
  console.error({ cause: new Refusal('inside') });
  console.error('because of', new TypeError('a bug'), new Refusal('another'));
  throw new Refusal('no');
};
