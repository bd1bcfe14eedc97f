import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import {
  newSecret,
  overlapMs,
  rotateSecrets,
  secretMadeAt,
  validSecrets,
} from '../../../../lib/webhooks/endpoint/secrets.ts';
import { signedHeaders } from '../../../../lib/webhooks/endpoint/signature.ts';

const now = Date.now();
const message = {
  id: 'b7747809-9551-5ced-b654-d5fdb2a31400',
  body: '{"type":"lead.created","changes":["ä 🦄"]}',
  now,
};

test('the library of Standard Webhooks takes a message, and no other one', () => {
  const { value } = newSecret(now);
  const headers = signedHeaders(message, [value]);
  const verifier = new Webhook(value);
  expect(verifier.verify(message.body, headers)).toEqual(JSON.parse(message.body));
  const other = (changed: object) => () =>
    verifier.verify(message.body, { ...headers, ...changed });
  expect(other({ 'webhook-id': crypto.randomUUID() })).toThrow();
  expect(other({ 'webhook-timestamp': String(Math.floor(now / 1000) + 1) })).toThrow();
  expect(() => verifier.verify(`${message.body} `, headers)).toThrow();
  expect(() => new Webhook(newSecret(now).value).verify(message.body, headers)).toThrow();
  // A replay of an old message.
  const old = signedHeaders({ ...message, now: now - 6 * 60_000 }, [value]);
  expect(() => verifier.verify(message.body, old)).toThrow();
});

test('a secret is 32 random bytes', () => {
  const [one, two] = [newSecret(now).value, newSecret(now).value];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one).not.toBe(two);
});

describe('a new secret', () => {
  const first = newSecret(now);
  const { added, previous } = rotateSecrets([first], now);

  test('signs beside the one before it for a day, and alone from then on', () => {
    const at = (t: number) => validSecrets([added, previous], t);
    expect(at(now)).toEqual([added.value, first.value]);
    expect(at(now + overlapMs - 1)).toEqual([added.value, first.value]);
    expect(at(now + overlapMs)).toEqual([added.value]);
    const headers = signedHeaders(message, at(now));
    for (const { value } of [first, added]) {
      expect(new Webhook(value).verify(message.body, headers)).toBeTruthy();
    }
    const later = signedHeaders(message, at(now + overlapMs));
    expect(() => new Webhook(first.value).verify(message.body, later)).toThrow();
  });

  test('leaves no third one valid', () => {
    const third = rotateSecrets([added, previous], now + 1000);
    expect(validSecrets([third.added, third.previous], now + 1000)).toEqual([
      third.added.value,
      added.value,
    ]);
  });

  test('is found by a time of its own, also where it is made in the same millisecond', () => {
    const item = { secrets: [added, previous] };
    expect(secretMadeAt(item, added.created_at)).toBe(added.value);
    expect(secretMadeAt(item, first.created_at)).toBe(first.value);
  });
});
