import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { isRouted, loadOperations } from '../../infra/operations.ts';

// The logs of every function in the whole suite. Alone, there are none and this fails.

interface Line {
  level: string;
  message: Record<string, unknown>;
}

const text = readFileSync(inject('service').logFile, 'utf8');
const lines = text.split('\n').filter(Boolean);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the suite sends in tokens, contacts, names and bodies, and no log may hold. */
const secrets = [
  /eyJ[\w-]{8}/,
  /@example\.com/i,
  /\+55\d{6}/,
  /Maria/,
  /Zo[eë]/,
  /Bearer/,
  /Padaria/,
];

const holdsSecret = (line: string): boolean => secrets.some((secret) => secret.test(line));

test('every line is one JSON object of the runtime, whatever was in a request', () => {
  expect(lines.length).toBeGreaterThan(1000);
  const broken = lines.filter((line) => {
    const { level, message } = JSON.parse(line) as Line;
    return !['INFO', 'ERROR'].includes(level) || typeof message !== 'object';
  });
  expect(broken).toEqual([]);
});

test('each request is one line with what it was and what it cost', async () => {
  const operations = (await loadOperations()).filter(isRouted).map(({ operation }) => operation.id);
  const messages = lines.map((line) => (JSON.parse(line) as Line).message);
  const requests = messages.filter(({ operation }) => operations.includes(String(operation)));
  expect(new Set(requests.map(({ operation }) => operation))).toEqual(new Set(operations));
  const ids = requests.map(({ request_id }) => request_id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const line of requests) {
    expect(line).toMatchObject({
      status: expect.any(Number),
      request_id: expect.stringMatching(uuid),
      duration_ms: expect.any(Number),
      capacity_units: expect.any(Number),
    });
    if (line.organization_id !== undefined) expect(line.organization_id).toMatch(uuid);
    if (line.user_id !== undefined) expect(line.user_id).toMatch(uuid);
    if (Number(line.status) < 300) expect(Number(line.capacity_units)).toBeGreaterThan(0);
  }
});

test('no line holds a token, a contact, a name or a body', () => {
  for (const planted of ['Bearer eyJhbGciOiJS', 'm@example.com', '+5511987654321', 'Maria Silva']) {
    expect([planted, holdsSecret(JSON.stringify({ message: planted }))]).toEqual([planted, true]);
  }
  expect(lines.filter(holdsSecret)).toEqual([]);
});
