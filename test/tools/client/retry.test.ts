import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../../packages/client/src/index.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

const refusal = (status: number, headers = {}, code = 'unavailable') =>
  new Response(JSON.stringify({ error: { code, message: 'm', request_id: 'r' } }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const success = () => Response.json({ items: [], next_cursor: null });

/** A client of a service that answers these, one after the other; and how often it was asked. */
const clientOf = (answers: (() => Response)[], retry = {}) => {
  let asked = 0;
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId: 'o',
    token: 't',
    retry: { firstDelay: 0, ...retry },
    fetch: async () => answers[asked++]!(),
  });
  return { api, asked: () => asked };
};

test.each([
  ['seconds', () => '3'],
  ['a date', () => new Date(Date.now() + 3000).toUTCString()],
])('waits as long as Retry-After says in %s, and no less', async (_what, value) => {
  vi.setSystemTime(Date.parse('2026-11-21T12:00:00Z'));
  const { api, asked } = clientOf([() => refusal(503, { 'retry-after': value() }), success]);
  const work = api.get('/leads');
  await vi.advanceTimersByTimeAsync(2999);
  expect(asked()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await work).status).toBe(200);
  expect(asked()).toBe(2);
});

test('does not wait for longer than it may', async () => {
  const { api, asked } = clientOf([() => refusal(503, { 'retry-after': '3600' })]);
  await expect(api.get('/leads')).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked()).toBe(1);
});

test('waits by chance, up to twice as long each time', async () => {
  const waits: number[] = [];
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const answers = [...Array(3).fill(() => refusal(503)), success];
  const work = clientOf(answers, { firstDelay: 100, mostDelay: 300 }).api.get('/leads');
  await vi.runAllTimersAsync();
  await work;
  for (const [, milliseconds] of timer.mock.calls) waits.push(milliseconds ?? 0);
  expect(waits).toEqual([50, 100, 150]);
  random.mockRestore();
});

test.each([
  [409, 'write_conflict', 2],
  [409, 'duplicate_lead', 1],
  [429, 'rate_limited', 2],
  [500, 'internal', 2],
  [502, 'unknown', 2],
  [504, 'timeout', 2],
  [403, 'forbidden', 1],
  [404, 'not_found', 1],
])('after %i %s it asks %i times', async (status, code, times) => {
  const { api, asked } = clientOf([() => refusal(status, {}, code), success]);
  const work = api.get('/leads').catch(() => {});
  await vi.runAllTimersAsync();
  await work;
  expect(asked()).toBe(times);
});

test('what no API answers is an error too', async () => {
  const { api } = clientOf([() => new Response('<h1>Bad</h1>', { status: 400 })]);
  await expect(api.get('/leads')).rejects.toMatchObject({ code: 'unknown', status: 400 });
});
