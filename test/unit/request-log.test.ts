import { expect, test } from 'vitest';
import { RequestLog } from '../../tools/dev/request-log.ts';

const log = () => {
  const lines: string[] = [];
  const { logged, addResponse, sent } = new RequestLog((text) =>
    lines.push(text.replace(/^[\d:]{8} /, '')),
  );
  return {
    lines,
    addResponse,
    sent,
    logged: (message: unknown) =>
      logged('Stack-fn', { timestamp: '', level: 'INFO', requestId: 'r', message }),
  };
};

const answer = {
  requestId: 'r',
  method: 'POST',
  stage: 'v1',
  path: '/leads',
  parameters: {},
  hasQuery: false,
  status: 201,
  milliseconds: 12.4,
};

test('a request is told once it is answered, with what its function logged', () => {
  const { lines, logged, addResponse } = log();
  logged({ operation: 'createLead', status: 201, request_id: 'r', capacity_units: 13 });
  expect(lines).toEqual([]);
  addResponse({ ...answer, refusal: undefined });
  addResponse({ ...answer, refusal: undefined });
  expect(lines).toEqual(['POST /v1/leads 201 12 ms 13 units r', 'POST /v1/leads 201 12 ms r']);
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

test('an event from a queue is told with what became of it', () => {
  const { lines, logged } = log();
  const event = { operation: 'apply', event_id: 'evt_1', message_id: 'm', request_id: 'r' };
  logged(event);
  logged({ ...event, outcome: 'ignored' });
  logged({ ...event, outcome: 'waiting', why: 'waits for its purchase' });
  logged({ ...event, code: 'invalid_request', why: 'stars must be a whole number' });
  expect(lines).toEqual([
    'apply evt_1 done r',
    'apply evt_1 ignored r',
    'apply evt_1 waiting (waits for its purchase) r',
    'apply evt_1 invalid_request (stars must be a whole number) r',
  ]);
});

/** What the runtime logs of an error that a function threw. */
const thrown = (errorType: string, errorMessage: string) => ({
  errorType,
  errorMessage,
  stackTrace: [`${errorType}: ${errorMessage}`, '    at x'],
});

test('an error that was told with its cause is not told again', () => {
  const { lines, logged } = log();
  const cause = { name: 'TypeError', message: 'a bug', stack: 'TypeError: a bug' };
  logged({ operation: 'putPlan', request_id: 'r', code: 'internal', cause });
  logged(thrown('TypeError', 'a bug'));
  logged({ operation: 'putPlan', request_id: 'other', code: 'internal', cause });
  logged(thrown('RangeError', 'another'));
  expect(lines).toEqual([
    'putPlan internal r\n  TypeError: a bug',
    'putPlan internal other\n  TypeError: a bug',
    'fn failed\n  RangeError: another\n      at x',
  ]);
});

test('nothing that is told is an order to the terminal, nor looks like another line', () => {
  const { lines, logged, addResponse } = log();
  const sent = 'a\n12:00:00 POST\u001b[2J\u009b1m\r\u0007';
  const escaped = (text: string) =>
    text.replace(
      /[^\P{Cc}\n]/gu,
      (one) => `\\u00${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  logged({ operation: 'apply', event_id: sent, code: 'invalid_request', why: sent });
  logged({ operation: 'apply', request_id: 'r', code: 'internal', cause: { stack: sent } });
  logged(thrown('Error', sent));
  logged(sent);
  addResponse({ ...answer, refusal: { code: 'internal', why: sent } });
  const [inLine, below] = [
    escaped(sent).replace('\n', '\\u000a'),
    escaped(sent).replace('\n', '\n  '),
  ];
  expect(lines).toEqual([
    `apply ${inLine} invalid_request (${inLine})`,
    `apply internal r\n  ${below}`,
    `fn: ${below}`,
    `POST /v1/leads 201 internal 12 ms r\n  ${below}`,
  ]);
});

const told = (asked: object) => {
  const { lines, addResponse } = log();
  addResponse({ ...answer, refusal: undefined, ...asked });
  return lines[0]?.split(' ')[1];
};
const path = '/leads/{lead_id}/history';
const lead_id = '01a1fc01-04c2-7516-b29c-4d6e78ac2694';

test('of an address the route is told, with its ids', () => {
  expect(told({ path, parameters: { lead_id } })).toBe(`/v1/leads/${lead_id}/history`);
});

test.each(['maria', `${lead_id}x`, 'x'.repeat(36), ''])(
  'of an address nothing else of the path is told, as %j',
  (sent) => {
    expect(told({ path, parameters: { lead_id: sent } })).toBe('/v1/leads/{lead_id}/history');
  },
);

test('of an address without a route nothing is told, and nothing of a query', () => {
  expect(told({ path: undefined, parameters: { '*': 'maria' } })).toBe('/v1/…');
  expect(told({ hasQuery: true })).toBe('/v1/leads?…');
});

test('a refusal that its code does not explain is explained', () => {
  const { lines, addResponse } = log();
  const refusal = { code: 'forbidden', why: 'Its Host is another.' };
  addResponse({ ...answer, status: 403, refusal });
  addResponse({ ...answer, status: 404, refusal: { code: 'not_found', why: undefined } });
  expect(lines).toEqual([
    'POST /v1/leads 403 forbidden 12 ms r\n  Its Host is another.',
    'POST /v1/leads 404 not_found 12 ms r',
  ]);
});
