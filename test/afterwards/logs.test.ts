import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { tools } from '../../functions/agents/answer-agent.ts';
import { isServed, loadOperations } from '../../infra/operations.ts';
import { errorKinds } from '../../lib/errors/errors.ts';

// The logs of every function in the whole suite. Alone, there are none and this fails.

interface Line {
  level: string;
  message: Record<string, unknown>;
}

const text = readFileSync(inject('service').logFile, 'utf8');
const lines = text.split('\n').filter(Boolean);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the suite sends in tokens, API keys, contacts, names and bodies, and no log may hold. */
const secrets = [
  /eyJ[\w-]{8}/,
  /@example\.com/i,
  /\+55\d{6}/,
  /Maria/,
  /Zo[eë]/,
  /Bearer/,
  /ls[kp]_\w{8}/,
  /Padaria/,
];

const holdsSecret = (line: string): boolean => secrets.some((secret) => secret.test(line));

test('every line is one JSON object of the runtime, whatever was in a request', () => {
  expect(lines.length).toBeGreaterThan(1000);
  const broken = lines.filter((line) => {
    const { level, message } = JSON.parse(line) as Line;
    return !['INFO', 'WARN', 'ERROR'].includes(level) || typeof message !== 'object';
  });
  expect(broken).toEqual([]);
});

const messages = lines.map((line) => (JSON.parse(line) as Line).message);

test('each line says what was done, for whom, how long it took and what it cost, and nothing else', async () => {
  const operations = (await loadOperations()).map(({ operation }) => operation.id);
  // The runtime's own lines, of functions without a route, name an error and no operation.
  const own = messages.filter(({ operation }) => operation !== undefined);
  const ofRecords = ['handed_over', 'retried', 'set_aside'];
  const ofPartners = ['ignored', 'waiting', 'let_go', 'kept'];
  const words = [
    ...tools.map(({ name }) => name),
    ...operations,
    ...Object.keys(errorKinds),
    ...ofRecords,
    ...ofPartners,
  ];
  const others = own.flatMap(({ event_id: _, message_id: __, why: ___, cause: ____, ...line }) =>
    Object.values(line)
      .filter((value) => typeof value !== 'number')
      .filter((value) => !uuid.test(String(value)) && !words.includes(String(value))),
  );
  expect(others).toEqual([]);
  expect(new Set(own.map(({ operation }) => operation))).toEqual(new Set(operations));
  for (const line of own) {
    expect(line).toMatchObject({
      request_id: expect.stringMatching(uuid),
      duration_ms: expect.any(Number),
      capacity_units: expect.any(Number),
    });
    for (const name of ['organization_id', 'user_id'] as const) {
      if (line[name] !== undefined) expect(line[name]).toMatch(uuid);
    }
  }
  const ofOrganizations = ['putSpend', 'applyWalletEvents'];
  for (const id of ofOrganizations) {
    // An event of a partner that is nobody's here, or not yet, has no organization.
    const done = own.filter(
      ({ operation, code, outcome }) =>
        operation === id && code === undefined && !ofPartners.includes(String(outcome)),
    );
    expect(done.filter(({ organization_id }) => organization_id === undefined)).toEqual([]);
    // A repeat is refused by its record, which the local engine does not charge for.
    expect([id, done.some(({ capacity_units }) => Number(capacity_units) > 0)]).toEqual([id, true]);
  }
});

test('each request is one line with its status', async () => {
  const operations = (await loadOperations()).filter(isServed).map(({ operation }) => operation.id);
  const requests = messages.filter(({ operation }) => operations.includes(String(operation)));
  expect(new Set(requests.map(({ operation }) => operation))).toEqual(new Set(operations));
  const ids = requests.map(({ request_id }) => request_id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const line of requests) {
    expect(line).toMatchObject({ status: expect.any(Number) });
    // What an agent is told of the protocol, or refused by its arguments, takes nothing of the table.
    if (line.operation === 'answerAgent' && (!line.tool || line.code)) continue;
    if (Number(line.status) < 300) expect(Number(line.capacity_units)).toBeGreaterThan(0);
  }
});

test('no line holds a token, a contact, a name or a body', () => {
  for (const planted of ['Bearer eyJhbGciOiJS', 'm@example.com', '+5511987654321', 'Maria Silva']) {
    expect([planted, holdsSecret(JSON.stringify({ message: planted }))]).toEqual([planted, true]);
  }
  expect(lines.filter(holdsSecret)).toEqual([]);
});
