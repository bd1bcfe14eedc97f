import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  newSecret,
  overlapMs,
  rotateWebhookSecrets,
  type Secret,
  secretMadeAt,
  validSecrets,
} from '../../../../lib/webhooks/endpoint/secrets.ts';
import { signedHeaders } from '../../../../lib/webhooks/endpoint/signature.ts';

const now = Date.now();
const id = 'b7747809-9551-5ced-b654-d5fdb2a31400';
const message = { id, body: '{"type":"lead.created","changes":["ä 🦄"]}', now };
const [mine, other] = [newSecret(now).value, newSecret(now).value];

type IsSigned = (secret: string, headers: Record<string, string>, body: string | Buffer) => boolean;

const byLibrary: IsSigned = (secret, headers, body) => {
  try {
    return Boolean(new Webhook(secret).verify(body, headers));
  } catch {
    return false;
  }
};
let byHand: IsSigned;

beforeAll(async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8');
  const [, code = ''] = /```js\n([^`]*?const isSigned = .*?)```/s.exec(page) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(`${code} export { isSigned };`)}`;
  byHand = (await import(/* @vite-ignore */ url)).isSigned;
});

describe.each<[string, () => IsSigned]>([
  ['the library of Standard Webhooks', () => byLibrary],
  ['what the docs verify without a library', () => byHand],
])('%s', (_who, by) => {
  test('takes a message by either of two secrets', () => {
    for (const secrets of [[mine], [mine, other], [other, mine]]) {
      const headers = signedHeaders(message, secrets);
      expect(by()(mine, headers, message.body)).toBe(true);
      expect(by()(mine, headers, Buffer.from(message.body))).toBe(true);
    }
  });

  test('takes no other message, and none again after minutes', () => {
    const headers = signedHeaders(message, [mine]);
    const later = String(Math.floor(now / 1000) + 1);
    const takes = (changed: Record<string, string>, body = message.body, secret = mine) =>
      by()(secret, { ...headers, ...changed }, body);
    expect(takes({}, message.body, other)).toBe(false);
    expect(takes({}, `${message.body} `)).toBe(false);
    expect(takes({ 'webhook-id': crypto.randomUUID() })).toBe(false);
    expect(takes({ 'webhook-timestamp': later })).toBe(false);
    expect(takes({ 'webhook-signature': 'v1,' })).toBe(false);
    expect(by()(mine, {}, message.body)).toBe(false);
    expect(takes(signedHeaders({ ...message, now: now - 6 * 60_000 }, [mine]))).toBe(false);
  });
});

test('a secret is 32 random bytes', () => {
  expect(mine).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(mine).not.toBe(other);
});

describe('a new secret', () => {
  const first = newSecret(now);
  const { added, previous } = rotateWebhookSecrets([first], now);

  test('is valid beside the one before it for a day, and alone from then on', () => {
    const at = (t: number) => validSecrets([added, previous], t);
    expect(at(now)).toEqual([added.value, first.value]);
    expect(at(now + overlapMs - 1)).toEqual([added.value, first.value]);
    expect(at(now + overlapMs)).toEqual([added.value]);
  });

  test('leaves no third one valid', () => {
    const third = rotateWebhookSecrets([added, previous], now + 1000);
    const valid = validSecrets([third.added, third.previous], now + 1000);
    expect(valid).toEqual([third.added.value, added.value]);
  });

  test('is found by a time of its own, also where it is made in the same millisecond', () => {
    const madeAt = ({ created_at }: Secret) =>
      secretMadeAt({ secrets: [added, previous] }, created_at);
    expect([madeAt(added), madeAt(first)]).toEqual([added.value, first.value]);
  });
});
