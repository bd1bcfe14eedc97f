import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newSecret } from '../../../../lib/webhooks/endpoint/secrets.ts';
import { signedHeaders } from '../../../../lib/webhooks/endpoint/signature.ts';

const root = join(import.meta.dirname, '../../../..');
const now = Date.now();
const message = { id: crypto.randomUUID(), body: '{"changes":["ä 🦄"]}', now };
const [mine, other] = [newSecret(now).value, newSecret(now).value];

let isSigned: (secret: string, headers: Record<string, string>, body: string | Buffer) => boolean;

beforeAll(async () => {
  const page = await readFile(join(root, 'docs/webhooks.md'), 'utf8');
  const [, code = ''] = /```js\n([^`]*?const isSigned = .*?)```/s.exec(page) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(`${code} export { isSigned };`)}`;
  ({ isSigned } = await import(/* @vite-ignore */ url));
});

test('what the docs verify without a library takes a message by either of two secrets', () => {
  for (const secrets of [[mine], [mine, other], [other, mine]]) {
    const headers = signedHeaders(message, secrets);
    expect(isSigned(mine, headers, message.body)).toBe(true);
    expect(isSigned(mine, headers, Buffer.from(message.body))).toBe(true);
  }
});

test('and no other one', () => {
  const headers = signedHeaders(message, [mine]);
  expect(isSigned(other, headers, message.body)).toBe(false);
  expect(isSigned(mine, headers, `${message.body} `)).toBe(false);
  expect(isSigned(mine, { ...headers, 'webhook-id': 'x' }, message.body)).toBe(false);
  expect(isSigned(mine, {}, message.body)).toBe(false);
  expect(isSigned(mine, { ...headers, 'webhook-signature': 'v1,' }, message.body)).toBe(false);
  const old = signedHeaders({ ...message, now: now - 6 * 60_000 }, [mine]);
  expect(isSigned(mine, old, message.body)).toBe(false);
});
