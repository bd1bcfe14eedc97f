import { SimpleFetcher } from 'aws-jwt-verify/https';
import type { Jwk } from 'aws-jwt-verify/jwk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IssuerKeys } from '../../../lib/tokens/issuer-keys.ts';
import type { KeySet } from '../../../lib/tokens/key-set.ts';

// Answers that come in another order than they were asked for: of the issuer, and of the table.

const key = (kid: string) => ({ kty: 'EC', kid, use: 'sig' }) as Jwk;

type Answer = PromiseWithResolvers<ArrayBuffer>;

/** What the issuer was asked, and has not answered yet. */
let asked: Answer[];
/** The keys in use. */
let used: (string | undefined)[];

const minutes = 60_000;
const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
/** Until all has been done that an answer leads to. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The issuer answers this request, with the keys that it publishes. */
const answer = async (request: Answer | undefined, ...kids: string[]) => {
  const text = new TextEncoder().encode(JSON.stringify({ keys: kids.map(key) }));
  request!.resolve(text.buffer);
  await settled();
};

const make = (readStoredKeys: () => Promise<KeySet | undefined> = async () => undefined) => {
  const use = (keys: Jwk[]) => {
    used = keys.map(({ kid }) => kid);
  };
  return new IssuerKeys('https://issuer.example/keys', use, readStoredKeys);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  [asked, used] = [[], []];
  vi.spyOn(SimpleFetcher.prototype, 'fetch').mockImplementation(() => {
    asked.push(Promise.withResolvers());
    return asked.at(-1)!.promise;
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.mocked(SimpleFetcher.prototype.fetch).mockRestore();
});

test.each([
  ['brings back no key that a newer one is without', true, ['new']],
  ['is taken where there is no newer one', false, ['old', 'removed']],
])('an answer of the issuer that is late %s', async (_what, isOvertaken, expected) => {
  const keys = make();
  void keys.ensureUsable();
  await settled();
  await answer(asked[0], 'first');
  later(10 * minutes);
  expect([await keys.ensureUsable(), used]).toEqual([true, ['first']]);
  later(6000);
  if (isOvertaken) {
    const newer = keys.fetchNewer();
    await answer(asked[2], 'new');
    expect([await newer, used]).toEqual([true, ['new']]);
  }
  await answer(asked[1], 'old', 'removed');
  expect(used).toEqual(expected);
});

test.each([
  ['bring back no key that the issuer is without since', true, ['new']],
  ['are taken where the issuer was not asked', false, ['removed']],
])('stored keys whose reading is late %s', async (_what, isOvertaken, expected) => {
  const stored = Promise.withResolvers<KeySet>();
  const readings = [stored.promise, Promise.resolve(undefined)];
  const keys = make(() => readings.shift()!);
  keys.prepare();
  const fetchedAt = Date.now();
  void keys.ensureUsable();
  later(6000);
  if (isOvertaken) {
    void keys.ensureUsable();
    await settled();
    await answer(asked[0], 'new');
  }
  stored.resolve({ fetchedAt, keys: [key('removed')] });
  await settled();
  expect(used).toEqual(expected);
});

test('keys are as old as the request for them: one that was answered late is renewed so much sooner', async () => {
  const keys = make();
  void keys.ensureUsable();
  await settled();
  later(4000);
  await answer(asked[0], 'a');
  later(10 * minutes - 4001);
  await keys.ensureUsable();
  expect(asked).toHaveLength(1);
  later(1);
  await keys.ensureUsable();
  expect(asked).toHaveLength(2);
});
