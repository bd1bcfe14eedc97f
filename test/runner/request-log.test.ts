import { expect, test } from 'vitest';
import { RequestLog } from '../../infra/local/commands/request-log.ts';

const log = () => {
  const lines: string[] = [];
  const { logged, answered, sent } = new RequestLog((text) =>
    lines.push(text.replace(/^[\d:]{8} /, '')),
  );
  return {
    lines,
    answered,
    sent,
    logged: (message: unknown) =>
      logged('Stack-fn', { timestamp: '', level: 'INFO', requestId: 'r', message }),
  };
};

const answer = {
  requestId: 'r',
  method: 'POST',
  url: '/v1/leads',
  status: 201,
  milliseconds: 12.4,
};

test('a request is told once it is answered, with what its function logged', () => {
  const { lines, logged, answered } = log();
  logged({ operation: 'createLead', status: 201, request_id: 'r', capacity_units: 13 });
  expect(lines).toEqual([]);
  answered({ ...answer, refusal: undefined });
  answered({ ...answer, refusal: undefined });
  expect(lines).toEqual(['POST /v1/leads 201 12 ms 13 units', 'POST /v1/leads 201 12 ms']);
});

test('where the function has not answered, it is told why', () => {
  const { lines, answered } = log();
  const refusal = { code: 'internal', why: 'Runtime.ExitError: ended with SIGKILL' };
  answered({ ...answer, status: 500, refusal });
  expect(lines).toEqual([
    'POST /v1/leads 500 internal 12 ms\n  Runtime.ExitError: ended with SIGKILL',
  ]);
});

test('events, invocations and dead letters are told as they come; what becomes events is not', () => {
  const { lines, logged } = log();
  logged({ operation: 'applyWalletEvents', event_id: 'e-1' });
  logged({ operation: 'applyWalletEvents', event_id: 'e-2', code: 'invalid_request', why: 'no' });
  logged({ operation: 'spendStars', duration_ms: 5, capacity_units: 8 });
  logged({ operation: 'describeEvents', records: 1, events: 1 });
  logged({ dead_letter: 'm', deliveries: 5, body: '{"detail":{}}' });
  expect(lines).toEqual([
    'applyWalletEvents e-1 done',
    'applyWalletEvents e-2 invalid_request (no)',
    'spendStars done 5 ms 8 units',
    'fn gave up after 5 deliveries: message m',
  ]);
});

test('an event is told by its ids, and not by what changed', () => {
  const { lines, sent } = log();
  const common = { event_id: 'e', organization_id: 'o', version: 2 };
  const changes = [{ field: 'email', from: null, to: 'maria@example.com' }];
  const entry = { type: 'stars.spent', event_id: 'cause', monthly_change: -5 };
  const source = 'leads-and-stars';
  sent({ source, 'detail-type': 'lead.updated', detail: { ...common, lead_id: 'l', changes } });
  sent({ source, 'detail-type': 'wallet.changed', detail: { ...common, entry } });
  expect(lines).toEqual([
    'event lead.updated e of lead l version 2',
    'event wallet.changed e of wallet o version 2',
  ]);
});

test('what a function throws is told in words, with its stack where it was not meant', () => {
  const { lines, logged } = log();
  logged({ errorType: 'invalid_request', errorMessage: 'stars must be …', stack: 'a stack' });
  logged({ errorType: 'TypeError', errorMessage: 'a bug', stack: 'TypeError: a bug\n    at x' });
  expect(lines).toEqual([
    'fn failed\n  invalid_request: stars must be …',
    'fn failed\n  TypeError: a bug\n      at x',
  ]);
});

test('an error that was told with its cause is not told again', () => {
  const { lines, logged } = log();
  const cause = { name: 'TypeError', message: 'a bug', stack: 'TypeError: a bug' };
  logged({ operation: 'spendStars', request_id: 'r', code: 'internal', cause });
  logged({ errorType: 'TypeError', errorMessage: 'a bug', stack: 'TypeError: a bug' });
  logged({ operation: 'spendStars', request_id: 'other', code: 'internal', cause });
  logged({ errorType: 'RangeError', errorMessage: 'another', stack: 'RangeError: another' });
  expect(lines).toEqual([
    'spendStars internal\n  TypeError: a bug',
    'spendStars internal\n  TypeError: a bug',
    'fn failed\n  RangeError: another',
  ]);
});

test('whatever else is logged is shown, for whoever put it there', () => {
  const { lines, logged } = log();
  logged('here');
  logged({ a: { b: 1 } });
  expect(lines).toEqual(['fn: here', 'fn: { a: { b: 1 } }']);
});

test('of a path, what is no id or name is left out; of a query, all values', () => {
  const { lines, answered } = log();
  const url = `/v1/members/maria@example.com/${'x'.repeat(65)}/a-1?tag=vip&tag=b&m%40x=1`;
  answered({ ...answer, url, refusal: { code: 'not_found', why: '' }, status: 404 });
  expect(lines).toEqual(['POST /v1/members/…/…/a-1?tag&… 404 not_found 12 ms']);
});
