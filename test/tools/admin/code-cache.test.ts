import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadOperations } from '../../../infra/operations.ts';
import { Admin, expectFailure, ready } from './admin.ts';

// @module-tag long

const admin = new Admin();
const directory = mkdtempSync(join(tmpdir(), 'leads-and-stars-caches-'));
const [old, other] = [`${'0'.repeat(64)}.cache`, 'notes.cache'];

beforeEach(() => {
  for (const name of [old, other]) writeFileSync(join(directory, name), '');
});

afterAll(() => rmSync(directory, { recursive: true }));

test('each function gives its code cache; those of earlier code go, and no other file', async () => {
  const { length } = await loadOperations();
  const answer = await admin.json('code-cache', 'fetch', directory);
  expect(answer).toEqual({
    caches: length,
    megabytes: expect.any(Number),
    taken: 0,
    refused: 0,
    directory,
  });
  const names = readdirSync(directory);
  expect([names.length, names.includes(old), names.includes(other)]).toEqual([
    length + 1,
    false,
    true,
  ]);
});

test.each([
  [
    'another answer',
    { headers: {}, body: '{"statusCode":401}' },
    /gives no code cache\. Deploy this version/,
  ],
  [
    'a failure',
    { headers: { 'x-amz-function-error': 'Unhandled' }, body: '{"errorMessage":"no memory"}' },
    /gives no code cache: no memory/,
  ],
])(
  '%s of a function is told, and nothing is removed',
  async (_what, { headers, body }, message) => {
    const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const lambda_endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = await admin.file('other.json', { ...ready, lambda_endpoint });
    const ran = await admin.runWith({}, 'code-cache', 'fetch', directory, '--ready-file', file);
    expectFailure(ran, message);
    expect(readdirSync(directory)).toContain(old);
  },
);
