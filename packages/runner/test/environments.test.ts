import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAssembly } from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { waysToFail } from './app/failing-functions.ts';
import {
  eventually,
  expectEnvelope,
  ownDirectory,
  type Reply,
  type Runner,
  send,
  startRunner,
} from './support.ts';

const directory = ownDirectory();
let logFile: string;
/** With one environment of each function: none can be lost without the next request noticing. */
let one: Runner;
let two: Runner;
/** With one process for all functions. */
let shared: Runner;

beforeAll(async () => {
  vi.stubEnv('PLANTED_SECRET', 'of the runner');
  logFile = join(directory, 'functions.log');
  const assembly = await readAssembly(inject('appDirectory'), 'MyApp');
  one = await startRunner(assembly, 1, logFile);
  two = await startRunner(assembly, 2, logFile);
  shared = await startRunner(assembly, 1, logFile, true);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([one?.close(), two?.close(), shared?.close()]);
});

/** `patient` has nine seconds, `behave` one. */
const behave = (how: string, route = 'behave'): Promise<Reply> =>
  send(`${one.baseUrl}/${route}?${new URLSearchParams({ how })}`);

test('a function that does not fail is answered as it says, with bytes, repeated headers, and as much as it may', async () => {
  const { status, headers, bytes } = await behave('answers base64');
  expect([status, headers['content-type']]).toEqual([201, 'image/gif']);
  expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect([...bytes]).toEqual([0xff, 0x00, 0xfe]);
  expect((await behave('answers as much as it may', 'patient')).status).toBe(200);
});

test.each(waysToFail)(
  'a function fails as one that %s: internal, and the next request works',
  async (how) => {
    const reply = await behave(how);
    expectEnvelope(reply, 'internal');
    expect((await behave('answers')).status).toBe(200);
    const lines = (await readFile(logFile, 'utf8')).split('\n');
    const told = lines.find((line) => line.includes(`${reply.headers['x-request-id']}`));
    expect(JSON.parse(told ?? '{}').message.how).toBe(how);
  },
);

test('a function fails after it answered: whoever comes later is served by another environment', async () => {
  for (let i = 0; i < 5; i++) {
    const before = (await behave('answers, then exits')).json().environment;
    await eventually('another environment', async () => {
      const reply = await behave('answers');
      if (reply.status === 200) return reply.json().environment !== before;
      // The request came just in time to go down with the environment.
      expectEnvelope(reply, 'internal');
      return false;
    });
  }
});

test('a function fails to answer in time by a moment: the next request is not for the process that is killed', async () => {
  const { environment } = (await behave('answers')).json();
  const before = one.invoked();
  const [late, next] = [behave('answers after 0.8 s'), behave('answers')];
  await eventually('both are there', () => one.invoked() === before + 2);
  // The runner's timers come before what it hears. So it kills the process, and then hears that this has answered.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  expectEnvelope(await late, 'internal');
  expect((await next).status).toBe(200);
  expect((await next).json().environment).not.toBe(environment);
});

test.each([
  ['load', '/broken', 'does not load'],
  ['have its handler', '/unexported', 'index.missing is not a function that is exported.'],
])(
  'a function fails to %s: internal, each time, with a line of the log',
  async (_what, path, errorMessage) => {
    for (let i = 0; i < 2; i++) expectEnvelope(await send(`${one.baseUrl}${path}`), 'internal');
    const line = (await readFile(logFile, 'utf8'))
      .split('\n')
      .find((one) => one.startsWith('{') && one.includes(errorMessage));
    const message = { errorType: 'Error', errorMessage, stackTrace: expect.any(Array) };
    expect(JSON.parse(line!)).toMatchObject({ level: 'ERROR', requestId: '-', message });
  },
);

test('a function fails to answer in the gateway’s time: timeout, and the next request works', async () => {
  const slow = (how: string) => send(`${two.baseUrl}/slow?${new URLSearchParams({ how })}`);
  expect((await slow('answers')).status).toBe(200);
  expectEnvelope(await slow('never answers'), 'timeout');
  expect((await slow('answers')).status).toBe(200);
});

const meeting = async () => {
  const place = join(directory, crypto.randomUUID());
  await mkdir(place);
  return {
    meet: async ({ baseUrl }: Runner, name: string, until: string) => {
      const query = new URLSearchParams({ directory: place, name, until });
      return (await send(`${baseUrl}/meet?${query}`)).json();
    },
    log: async () => (await readFile(join(place, 'log'), 'utf8')).split('\n').slice(0, -1),
    write: (name: string) => writeFile(join(place, name), ''),
  };
};

test('environments: two events at once are handled in two, one each', async () => {
  const { meet } = await meeting();
  const [a, b] = await Promise.all([meet(two, 'a', 'b'), meet(two, 'b', 'a')]);
  expect([a.met, b.met]).toEqual([true, true]);
  expect([a.most, b.most]).toEqual([1, 1]);
  expect(a.environment).not.toBe(b.environment);
});

test('environments: no more than the limit: a second event waits for the first to be done', async () => {
  const { meet, log, write } = await meeting();
  const before = one.invoked();
  const a = meet(one, 'a', 'end');
  await eventually('the first event is there', () => log().then(Boolean, () => false));
  const b = meet(one, 'b', 'end');
  await eventually('the second event is there', () => one.invoked() === before + 2);
  await write('end');
  const both = await Promise.all([a, b]);
  expect(await log()).toEqual(['a came', 'a went', 'b came', 'b went']);
  expect(both.map(({ met, most }) => [met, most])).toEqual([
    [true, 1],
    [true, 1],
  ]);
  expect(both[0].environment).toBe(both[1].environment);
});

test('environments: renewed while one handles an event: it ends that, and the next is in another', async () => {
  const { meet, log, write } = await meeting();
  const a = meet(one, 'a', 'end');
  await eventually('the event is there', () => log().then(Boolean, () => false));
  one.renew();
  await write('end');
  const [first, second] = [await a, await meet(one, 'b', 'end')];
  expect([first.met, second.met]).toEqual([true, true]);
  expect(second.environment).not.toBe(first.environment);
  const control = await meet(one, 'c', 'end');
  expect(control.environment).toBe(second.environment);
  one.renew();
  expect((await meet(one, 'd', 'end')).environment).not.toBe(control.environment);
});

test.each([
  ['in processes of their own', () => one],
  ['in a shared process, where another function was first', () => shared],
])(
  'environments %s: see the variables of their function and of Lambda, and none of the runner',
  async (_where, of) => {
    expect(process.env).toMatchObject({ PLANTED_SECRET: 'of the runner', PATH: expect.anything() });
    const { baseUrl } = of();
    expect((await send(`${baseUrl}/behave?how=answers`)).status).toBe(200);
    const { variables } = (await send(`${baseUrl}/echo/a/to/b`)).json();
    expect(variables).toEqual({
      TABLE_NAME: 'my-app',
      OF_ECHO: 'only',
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'MyApp-Echo',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_ACCESS_KEY_ID: expect.stringMatching(/^LOCALEcho/),
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: expect.any(String),
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
      NODE_EXTRA_CA_CERTS: '/dev/null',
      TZ: ':UTC',
    });
  },
);

test('in shared processes, code that is renewed runs in another process, for all functions', async () => {
  const ask = async (route: string) =>
    (await send(`${shared.baseUrl}/${route}?how=answers`)).json().environment;
  const before = await ask('behave');
  expect(await ask('patient')).toBe(before);
  shared.renew();
  const after = await ask('behave');
  expect(after).not.toBe(before);
  expect(await ask('patient')).toBe(after);
});

test('in a shared process, a function that never gives back the processor is killed with it, and all go on', async () => {
  const ask = (how: string, route: string) =>
    send(`${shared.baseUrl}/${route}?${new URLSearchParams({ how })}`);
  const before = (await ask('answers', 'patient')).json().environment;
  expectEnvelope(await ask('loops forever', 'behave'), 'internal');
  await eventually('another process', async () => {
    const reply = await ask('answers', 'patient');
    return reply.status === 200 && reply.json().environment !== before;
  });
});

test('in a shared process, a function whose time is up is answered so, and others go on; one that exits takes all along', async () => {
  const ask = async (how: string, route = 'behave') => {
    const reply = await send(`${shared.baseUrl}/${route}?${new URLSearchParams({ how })}`);
    return reply.status === 200 ? reply.json().environment : reply.status;
  };
  const [late, patient] = await Promise.all([ask('never answers'), ask('answers', 'patient')]);
  expect(late).toBe(500);
  expect(await ask('answers', 'patient')).toBe(patient);
  expect(await ask('answers')).toBe(patient);
  await ask('answers, then exits');
  await eventually('another process', async () => {
    const now = await ask('answers', 'patient');
    return now !== patient && typeof now === 'string';
  });
});
