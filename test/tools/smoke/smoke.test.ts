import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issuerLike } from '@leads-and-stars/runner';
import { expect, inject, onTestFinished, test } from 'vitest';
import { errorKinds } from '../../../lib/errors/errors.ts';
import type { Ran } from '../../support/command-line.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { ProxyRequest, Step } from '../../support/faults/step.ts';
import { cwd, smoke, told, useOwnDirectory } from './smoke.ts';

// @module-tag long

useOwnDirectory();

const service = inject('service');
const issuer = await issuerLike(service.issuerIdentity);

const ready = {
  base_url: service.baseUrl,
  dynamodb_endpoint: service.tableEndpoint,
  events_endpoint: service.eventsEndpoint,
  event_bus_name: service.eventBusName,
  table_name: service.tableName,
  organizations: [{ tokens: { owner: await issuer.idToken(randomUUID()) } }],
};

const smokeRunner = (of: Partial<typeof ready>, ...args: string[]): Promise<Ran> => {
  const file = join(mkdtempSync(join(cwd, 'run-')), 'service.json');
  writeFileSync(file, JSON.stringify({ ...ready, ...of }));
  return smoke(['--ready-file', file, ...args]);
};

test('the running service is as expected, its events too, for two at the same time', async () => {
  const run = () => smokeRunner({}, '--events-file', service.eventsFile, '--wait', '600');
  for (const ran of await Promise.all([run(), run()])) {
    expect(told(ran, 'differs')).toEqual([]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(told(ran, 'not tried')).toEqual([
      'the deployment is complete, and protected from deletion Here is no deployment.',
      'records and messages come to the functions The runner brings them: see the changes below.',
      'the account lets enough functions run at once Here is no account.',
      'somebody hears of alarms Here are no alarms.',
    ]);
    expect(told(ran, 'ok').length).toBe(22);
    expect(ran.stdout).toMatch(/\n22 as expected, 0 with differences, 4 not tried\.\n$/);
  }
});

/** What a gateway in AWS might answer otherwise: the fault changes the answer that is on its way. */
type Fault = (request: ProxyRequest, answer: Answer) => void;

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const startProxy = async (step: Step): Promise<string> => {
  const proxy = await FaultProxy.start(service.baseUrl, [step]);
  onTestFinished(() => proxy.close());
  // A webhook may lead there.
  return proxy.endpoint.replace('127.0.0.1', 'localhost');
};

const proxyWith = (fault: Fault): Promise<string> =>
  startProxy(async (request, pass) => {
    const reply = await pass();
    const headers = { ...reply.headers } as Answer['headers'];
    const answer = { ...reply, headers, body: reply.body.toString() };
    fault(request, answer);
    return { ...answer, body: Buffer.from(answer.body) };
  });

test('a body that is called safe to repeat, a request id that is lost, a preflight that is not, a repeat as if new', async () => {
  const base_url = await proxyWith(({ method, headers }, answer) => {
    if (Number(headers['content-length']) < 10_000_000 && answer.status === 413) {
      const { status, message } = errorKinds.unavailable;
      answer.status = status;
      answer.body = answer.body
        .replace('payload_too_large', 'unavailable')
        .replace(errorKinds.payload_too_large.message, message);
    }
    if (answer.status === 401) delete answer.headers['x-request-id'];
    if (method === 'OPTIONS') {
      answer.headers['access-control-allow-methods'] = 'GET,POST';
    } else if (answer.status === 401) answer.headers['access-control-allow-origin'] = '*';
    if (method === 'PUT') {
      answer.body = answer.body.replace('"path":"price_cents"', '"path":"price"');
      if (answer.status === 200) answer.status = 201;
    }
  });
  const ran = await smokeRunner({ base_url });
  expect(ran).toMatchObject({ code: 1, stderr: '' });
  expect(told(ran, 'differs')).toEqual([
    expect.stringMatching(/^a request without a token .*X-Request-Id is null, and request_id/),
    expect.stringMatching(/^… and with one of nobody .*X-Request-Id is null/),
    expect.stringMatching(/^a body of 7 MB.* 503 instead of 413.*repeat may succeed.*unavailable/),
    expect.stringMatching(/^a preflight .*methods lacks PUT, PATCH, DELETE\.$/),
    expect.stringMatching(/^a page of .*names the origin \* instead of null\.$/),
    expect.stringMatching(/^a token that somebody else has signed .*X-Request-Id is null/),
    expect.stringMatching(/^a plan .* It names price instead of price_cents\.$/),
    expect.stringMatching(/^an organization is made once .*is 201 instead of 200\./),
    expect.stringMatching(/^stars are given, and spent once.* 201 instead of 200\./),
  ]);
});

/** Requests that a service answers otherwise: the status, and how that is told. */
type Lack = [request: RegExp, status: number, ...told: RegExp[]];

const event = /^an event on the bus of your billing .*-event has not come to the wallet in time/;
const ofRoutes = 'every function with a route starts.*';

test.each<[what: string, lacks: Lack[]]>([
  [
    'functions that fail, and nothing that comes later',
    [
      [
        /^GET .*\/me$/,
        503,
        /^a user who logs in is known GET \/me: The status is 503 instead of 200/,
      ],
      [
        /^POST .*\/leads$/,
        500,
        /^a lead can be made.* POST \/leads: The status is 500 instead of 201/,
      ],
      [/\/fields$/, 500, RegExp(`${ofRoutes} GET /fields: The status is 500 instead of 404`)],
      [
        /\/billing\/balance$/,
        500,
        RegExp(`${ofRoutes} GET /billing/balance: The status is 500`),
        /^stars are given, and spent once.* GET \/billing\/balance: The status is 500/,
      ],
      [/\/changes\?/, 500, /^what has happened is in the feed GET \/changes: The status is 500/],
      [/spends\/.*-event$/, 404, event],
      [
        /\/deliveries$/,
        200,
        /^what a webhook is to be told is posted The test .* was not posted in/,
      ],
    ],
  ],
  [
    'no spends, and no change in feed and bus',
    [
      [
        /^PUT .*\/spends\//,
        500,
        /^stars are given, and spent.* PUT \/billing\/spends: The status is 500/,
      ],
      [
        /\/changes\?/,
        200,
        /^what has happened is in the feed lead\.created of .* was not numbered in/,
      ],
      [
        /nothing/,
        0,
        /^what has happened is sent to the bus lead\.created of .* was not sent in time/,
      ],
    ],
  ],
])('a service is found that has %s', async (_what, lacks) => {
  const body = Buffer.from('{"items":[],"last_sequence":0}');
  const headers = { 'content-type': 'application/json' };
  const base_url = await startProxy(async ({ method, url }, pass) => {
    const [, status] = lacks.find(([request]) => request.test(`${method} ${url}`)) ?? [];
    return status ? { status, headers, body } : pass();
  });
  const eventsFile = join(mkdtempSync(join(cwd, 'events-')), 'events.jsonl');
  writeFileSync(eventsFile, '');
  const ran = await smokeRunner({ base_url }, '--events-file', eventsFile, '--wait', '10');
  const differs = told(ran, 'differs');
  for (const sentence of lacks.flatMap(([, , ...all]) => all)) {
    expect(differs).toContainEqual(expect.stringMatching(sentence));
  }
  const others = ['a request without a token is 401 unauthenticated', 'a platform key can be made'];
  expect(told(ran, 'ok')).toEqual(expect.arrayContaining(others));
  expect(ran.code).toBe(1);
});

test('without a demo and its events, what needs them is not tried, and all else is', async () => {
  const ran = await smokeRunner({ organizations: [] });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const [listening, ...notTried] = told(ran, 'not tried');
  expect(listening).toMatch(/^the bus of outgoing events .* Start npm run dev with --events-file/);
  expect(notTried.slice(4)).toEqual([
    'a user who logs in is known Here are no users: npm run dev was started with --no-demo.',
    expect.stringMatching(/^a token that somebody else has signed .* There is no token whose sig/),
    'what has happened is sent to the bus Nobody listens to the bus.',
  ]);
  expect(told(ran, 'ok').length).toBe(18);
});

test.each([
  ['no service', [], /^No service runs here: start one/],
  ['no events file', ['--events-file', 'none'], /There is no events file none/],
  ['a stack and the runner', ['--stack', 'S', '--events-file', 'f'], /Give --stack, or/],
])('%s is said in one line', async (_what, args, message) => {
  const ran = args.includes('none') ? await smokeRunner({}, ...args) : await smoke(args);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trim().split('\n').length).toBe(1);
});
