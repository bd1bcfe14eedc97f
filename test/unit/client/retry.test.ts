import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  ApiError,
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
} from '../../../packages/client/src/index.ts';
import { wait } from '../../../packages/client/src/retry.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => {
  // A spy on a fake timer that is restored later would bring the fake back.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const refusal = (status: number, headers = {}, code = 'unavailable') =>
  new Response(JSON.stringify({ error: { code, message: 'm', request_id: 'r' } }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const success = () => Response.json({ items: [], next_cursor: null });

/** A client of a service that answers these, one after the other; and how often it was asked. */
const clientOf = (answers: (() => Response)[], retry = {}, token: ClientOptions['token'] = 't') => {
  const tokens: (string | null)[] = [];
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId: crypto.randomUUID(),
    token,
    retry: { firstDelayMs: 1, ...retry },
    fetch: async (request) => {
      tokens.push((request as Request).headers.get('authorization'));
      return answers[tokens.length - 1]!();
    },
  });
  return { api, asked: () => tokens.length, tokens };
};

/** How a call ended once all of its waits are over: its answer, or the error. */
const ended = async <T>(work: Promise<T>): Promise<T | Error> => {
  const outcome = work.catch((error: Error) => error);
  await vi.runAllTimersAsync();
  return outcome;
};

test.each([
  [503, 'seconds', () => '3'],
  [503, 'a date', () => new Date(Date.now() + 3000).toUTCString()],
  [429, 'seconds', () => '3'],
])('after %i waits as long as Retry-After says in %s, and no less', async (status, _how, value) => {
  vi.setSystemTime(Date.parse('2026-11-21T12:00:00Z'));
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const { api, asked } = clientOf([() => refusal(status, { 'retry-after': value() }), success]);
  const work = api.get('/leads');
  await vi.advanceTimersByTimeAsync(2999);
  expect(asked()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await work).status).toBe(200);
  expect(asked()).toBe(2);
});

const body = { contact_name: 'Maria', pipeline_id: 'p' };
const post = (api: Client) => api.post('/leads', { body });

// The service forgets a key after a day; ten minutes less are left for clocks that differ.
test.each<[string, number, (api: Client) => Promise<{ status: number }>, object]>([
  ['with a key is not sent again', 1, post, { code: 'unavailable' }],
  ['with a key is, after that', 0, post, { status: 200 }],
  ['without one is', 1, (api) => api.get('/leads'), { status: 200 }],
])('after a sleep of nearly a day, a request %s (%i ms)', async (_what, more, call, outcome) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const slept = () => {
    vi.setSystemTime(Date.now() + (24 * 60 - 10) * 60_000 + more);
    return refusal(503);
  };
  const { api, asked } = clientOf([slept, success]);
  expect(await ended(call(api))).toMatchObject(outcome);
  expect(asked()).toBe('status' in outcome ? 2 : 1);
});

test('an abort ends a call at once for its reason, before a wait and in it', async () => {
  const reason = new Error('not wanted any more');
  await expect(wait(1e9, AbortSignal.abort(reason))).rejects.toBe(reason);
  const aborting = new AbortController();
  const { api, asked } = clientOf([() => refusal(503)], { firstDelayMs: 1e9, mostDelayMs: 1e9 });
  let ended: unknown;
  api.get('/leads', { signal: aborting.signal }).catch((error: unknown) => {
    ended = error;
  });
  await vi.advanceTimersByTimeAsync(1);
  aborting.abort(reason);
  await vi.advanceTimersByTimeAsync(1);
  expect([ended, asked(), vi.getTimerCount()]).toEqual([reason, 1, 0]);
});

test('an abort before a call sends nothing, and asks for no token', async () => {
  const reason = new Error('not wanted any more');
  let tokens = 0;
  const { api, asked } = clientOf([success], {}, () => {
    tokens++;
    return 't';
  });
  const work = api.get('/leads', { signal: AbortSignal.abort(reason) });
  await expect(work).rejects.toBe(reason);
  expect([asked(), tokens]).toEqual([0, 0]);
});

test('an abort while an attempt is under way reaches it, and ends the call, whatever it is answered', async () => {
  const reason = new Error('not wanted any more');
  const aborting = new AbortController();
  let reached: unknown;
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId: crypto.randomUUID(),
    token: 't',
    fetch: async (request) => {
      aborting.abort(reason);
      reached = (request as Request).signal.reason;
      return success();
    },
  });
  await expect(api.get('/leads', { signal: aborting.signal })).rejects.toBe(reason);
  expect(reached).toBe(reason);
});

test('an attempt that takes longer than it may is none, and is made again', async () => {
  let asked = 0;
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId: crypto.randomUUID(),
    token: 't',
    retry: { attempts: 2, attemptTimeoutMs: 5, firstDelayMs: 1 },
    fetch: (request) => {
      asked++;
      const { signal } = request as Request;
      // As a connection that nothing comes from.
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  let error: unknown;
  api.get('/leads').catch((thrown: unknown) => {
    error = thrown;
  });
  // The time that an attempt may take is a real one.
  await vi.waitFor(async () => {
    await vi.runAllTimersAsync();
    expect(error).toBeDefined();
  });
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ cause: { name: 'TimeoutError' } });
  expect(asked).toBe(2);
});

test('nothing listens to a signal any more once a wait is over', async () => {
  const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
  const aborting = new AbortController();
  const { signal } = aborting;
  const waiting = wait(5, signal);
  expect(listeners(signal)).toBe(1);
  await vi.runAllTimersAsync();
  await waiting;
  expect(listeners(signal)).toBe(0);
  const aborted = wait(5, signal);
  aborting.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect(listeners(signal)).toBe(0);
  const unheard = wait(5);
  await vi.runAllTimersAsync();
  await expect(unheard).resolves.toBeUndefined();
});

test.each([
  [20, 2],
  [21, 1],
])(
  'a wait of %i s that the service asks for is made if it is within mostDelayMs',
  async (seconds, times) => {
    const again = { 'retry-after': String(seconds) };
    const { api, asked } = clientOf([() => refusal(503, again), success]);
    await ended(api.get('/leads'));
    expect(asked()).toBe(times);
  },
);

test('waits by chance, up to twice as long each time', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const answers = [...Array(3).fill(() => refusal(503)), success];
  await ended(clientOf(answers, { firstDelayMs: 100, mostDelayMs: 300 }).api.get('/leads'));
  expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([50, 100, 150]);
});

test('waits no longer than a timer can: it would end a longer wait at once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999);
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const most = 2 ** 31 - 1;
  const seconds = Math.floor(most / 1000);
  const answers = [() => refusal(503, { 'retry-after': String(seconds) }), success];
  const longest = { firstDelayMs: most, mostDelayMs: most };
  expect(await ended(clientOf(answers, longest).api.get('/leads'))).toMatchObject({ status: 200 });
  expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([most]);
});

test.each([
  [409, 'write_conflict', 2],
  [400, 'write_conflict', 1],
  [409, 'duplicate_lead', 1],
  [429, 'rate_limited', 2],
  [500, 'internal', 2],
  [502, 'unknown', 2],
  [504, 'timeout', 2],
  [403, 'forbidden', 1],
  [404, 'not_found', 1],
])('after %i %s it asks %i times', async (status, code, times) => {
  const { api, asked } = clientOf([() => refusal(status, {}, code), success]);
  await ended(api.get('/leads'));
  expect(asked()).toBe(times);
});

test.each<[number, string]>([
  [400, '<h1>Bad</h1>'],
  [409, '<h1>Conflict</h1>'],
  [409, 'null'],
  [409, '{}'],
  [409, '{"error":null}'],
  [200, '<!doctype html>'],
  [200, ''],
  [201, '{"id":'],
])('what no API answers is an error too: %i %j', async (status, body) => {
  const { api, asked } = clientOf([() => new Response(body, { status })]);
  const error = await api.get('/leads').catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: 'unknown', status });
  expect(asked()).toBe(1);
});

test('an attempt’s timeout is listened to while it lasts: else Node.js 22 may forget it, and the call hangs', async () => {
  const timeouts: AbortSignal[] = [];
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const signal = timeout.call(AbortSignal, milliseconds);
    timeouts.push(signal);
    return signal;
  });
  let listeners = 0;
  const answer = () => {
    listeners = getEventListeners(timeouts[0]!, 'abort').length;
    return success();
  };
  await clientOf([answer]).api.get('/leads');
  expect([timeouts.length, listeners]).toEqual([1, 1]);
});

test('in a page that came by HTTP, where crypto has no randomUUID, a request has a key too', async () => {
  const organizationId = crypto.randomUUID();
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  onTestFinished(() => void vi.unstubAllGlobals());
  const keys: string[] = [];
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId,
    token: 't',
    fetch: async (request) => {
      keys.push((request as Request).headers.get('idempotency-key') ?? '');
      return Response.json({});
    },
  });
  for (let i = 0; i < 100; i++) await post(api);
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(keys.filter((key) => !uuid.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(100);
});

test('a token is not waited for once the call is aborted', async () => {
  const reason = new Error('not wanted any more');
  const aborting = new AbortController();
  const never = new Promise<string>(() => {});
  const { api, asked } = clientOf([], {}, () => never);
  let ended: unknown;
  api.get('/leads', { signal: aborting.signal }).catch((error: unknown) => {
    ended = error;
  });
  await vi.advanceTimersByTimeAsync(1);
  aborting.abort(reason);
  await vi.advanceTimersByTimeAsync(1);
  expect([ended, asked()]).toEqual([reason, 0]);
});

test('a token is asked for at each attempt', async () => {
  let asked = 0;
  const { api, tokens } = clientOf([() => refusal(503), success], {}, () => `token-${++asked}`);
  await ended(api.get('/leads'));
  expect(tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
});

test('a token ends the call where it can’t be got, with what its function threw', async () => {
  const reason = new Error('logged out');
  const answers = [() => refusal(503), success];
  let first = true;
  const token = () => {
    if (!first) throw reason;
    first = false;
    return 'once';
  };
  const { api, asked } = clientOf(answers, {}, token);
  expect(await ended(api.get('/leads'))).toBe(reason);
  expect(asked()).toBe(1);
});

const refused = () => {
  throw new TypeError('fetch failed');
};
/** Away for so many milliseconds, in its own way, and then there again. */
const awayFor = (milliseconds: number, answer: () => Response, retry: object) => {
  vi.setSystemTime(0);
  const answerNow = () => (Date.now() < milliseconds ? answer() : success());
  return clientOf(Array(1000).fill(answerNow), { attempts: 2, firstDelayMs: 100, ...retry });
};

test.each<[string, () => Response]>([
  ['can’t be reached', refused],
  ['answers 502', () => refusal(502)],
  ['answers 503', () => refusal(503)],
  ['answers 504', () => refusal(504)],
])('a service that %s is waited for until the deadline, and no longer', async (_how, answer) => {
  const waiting = awayFor(30_000, answer, { waitForServiceMs: 30_000 });
  expect(await ended(waiting.api.get('/leads'))).toMatchObject({ status: 200 });
  expect(waiting.asked()).toBeGreaterThan(2);

  const late = awayFor(30_001, answer, { waitForServiceMs: 30_000 });
  expect(await ended(late.api.get('/leads'))).toBeInstanceOf(Error);
  expect(Date.now()).toBe(30_000);
});

test('a service that is away is given up after the attempts where nothing is said of waiting', async () => {
  const { api, asked } = awayFor(30_000, refused, {});
  expect(await ended(api.get('/leads'))).toBeInstanceOf(ConnectionError);
  expect(asked()).toBe(2);
});

test('a service that is away is asked again no sooner than it says', async () => {
  const again = { 'retry-after': '25' };
  const waiting = awayFor(1, () => refusal(503, again), { waitForServiceMs: 30_000 });
  const work = waiting.api.get('/leads');
  await vi.advanceTimersByTimeAsync(24_999);
  expect(waiting.asked()).toBe(1);
  await vi.runAllTimersAsync();
  expect((await work).status).toBe(200);
  const never = awayFor(1, () => refusal(503, again), { waitForServiceMs: 24_999 });
  await expect(never.api.get('/leads')).rejects.toMatchObject({ code: 'unavailable' });
  expect(never.asked()).toBe(1);
});

test('the last attempt of a service that is waited for is at the very end', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.9);
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const again = { 'retry-after': '25' };
  const waiting = awayFor(1, () => refusal(503, again), { waitForServiceMs: 25_000 });
  expect(await ended(waiting.api.get('/leads'))).toMatchObject({ status: 200 });
  expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([25_000]);
});

test('failures other than of a service that is away end with the attempts', async () => {
  const patient = { waitForServiceMs: 30_000 };
  for (const [status, code] of Object.entries({ 429: 'rate_limited', 500: 'internal' })) {
    const { api, asked } = awayFor(30_000, () => refusal(Number(status), {}, code), patient);
    expect(await ended(api.get('/leads'))).toMatchObject({ code });
    expect(asked()).toBe(2);
  }
});
