import { SimpleFetcher } from 'aws-jwt-verify/https';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { HttpHandler } from '../../../lib/handlers/http/middleware.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { openTable } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import {
  issuerKeysKind,
  readStoredKeys,
  renewStoredKeys,
} from '../../../lib/tokens/stored-keys.ts';
import type { Step } from '../../support/faults/step.ts';
import { issuerKeys } from '../../support/tokens.ts';
import { echo, echoed } from '../echo.ts';
import { Organization, run, withSteps, withVariable } from '../support.ts';

// The issuer's keys in the table. How old they may be is in issuer-keys.test.ts.

/** Where no issuer answers. */
const uri = 'https://127.0.0.1:9/keys';
const withoutIssuer = (work: () => Promise<void>) => withVariable('JWKS_URI', uri, work);

const table = openTable();
let organization: Organization;

const ask = async (handler: HttpHandler) => (await run(handler, echoed(organization))).status;
/** Keeps the running issuer's keys as that one's. */
const keep = async (change: object = {}) => {
  const key_set = String(await issuerKeys());
  const [now, key] = [Date.now(), places.issuerKeys.key({ uri })];
  const Item = { ...key, key_set, fetched_at: now, expires_at: now, ...change };
  await table.transact([{ Put: { Item } }]);
};
const forget = () => table.transact([{ Delete: { Key: places.issuerKeys.key({ uri }) } }]);

beforeAll(async () => {
  organization = await Organization.make();
});

/** The function, as Lambda loads it. */
const loadedInLambda = (): HttpHandler => {
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'echo';
  try {
    return serve(echo());
  } finally {
    delete process.env.AWS_LAMBDA_FUNCTION_NAME;
  }
};

afterEach(async () => {
  await forget();
});

test('a function reads the kept keys while Lambda loads it', async () => {
  await keep();
  const { promise: read, resolve } = Promise.withResolvers<void>();
  let readings = 0;
  const reading: Step = async (request, pass) => {
    const reply = await pass();
    if (!request.body.includes(uri)) return reply;
    readings++;
    resolve();
    return reply;
  };
  await withoutIssuer(() =>
    withSteps([reading], async () => {
      const loaded = loadedInLambda();
      const other = serve(echo());
      await read;
      await forget();
      expect([await ask(loaded), readings]).toEqual([201, 1]);
      // Control: the other reads when it has a request.
      expect([await ask(other), readings]).toEqual([503, 2]);
    }),
  );
});

test('one that is loaded elsewhere finds the kept keys at its first request, and only those of its issuer', async () => {
  await keep();
  await withoutIssuer(async () => {
    expect(await ask(serve(echo()))).toBe(201);
  });
  await withVariable('JWKS_URI', `${uri}2`, async () => {
    expect(await ask(serve(echo()))).toBe(503);
  });
});

test('a read that fails while it is loaded fails nothing: the first request asks the issuer', async () => {
  const { promise: read, resolve } = Promise.withResolvers<void>();
  let failing = true;
  const losing: Step = async (_, pass) => {
    resolve();
    return failing ? undefined : pass();
  };
  await withSteps([losing], async () => {
    const loaded = loadedInLambda();
    await read;
    failing = false;
    expect(await ask(loaded)).toBe(201);
  });
});

test.each([
  ['no keys', { key_set: '{"keys":[]}' }],
  ['what is not to be read', { key_set: '<html>' }],
  ['nothing', { key_set: undefined }],
  ['no time', { fetched_at: undefined }],
])('an item with %s is no kept key', async (_what, change) => {
  await keep(change);
  await withoutIssuer(async () => {
    expect(await ask(serve(echo()))).toBe(503);
  });
});

test('the issuer’s keys are kept by the function that renews them, and a failure is told', async () => {
  const { JWKS_URI = '' } = process.env;
  await renewStoredKeys(table, JWKS_URI);
  const kept = await readStoredKeys(table, JWKS_URI);
  expect(kept).toEqual({
    fetchedAt: expect.any(Number),
    ...JSON.parse(String(await issuerKeys())),
  });
  expect(Math.abs(Date.now() - kept!.fetchedAt)).toBeLessThan(60_000);
  // DynamoDB may delete them a day later, when nobody uses them any more.
  const { expires_at } = (await table.get(issuerKeysKind.key({ uri: JWKS_URI }))) ?? {};
  expect(expires_at).toBe(Math.floor(kept!.fetchedAt / 1000) + 24 * 60 * 60);
  await expect(renewStoredKeys(table, uri)).rejects.toMatchObject({
    code: 'unavailable',
    cause: expect.any(Error),
  });
  expect(await readStoredKeys(table, uri)).toBeUndefined();
});

test('keys of a clock that is ahead are not used for longer', async () => {
  await keep({ fetched_at: Date.now() + 3_600_000 });
  const kept = await readStoredKeys(table, uri);
  expect(kept!.fetchedAt).toBeLessThanOrEqual(Date.now());
});

test.each([
  ['takes the place of older ones', -1000, ['late']],
  ['takes the place of ones that were asked for at the same moment', 0, ['late']],
  ['leaves those that were asked for later', 1, ['newer']],
  ['takes the place of ones by a clock that was ahead', 60_000, ['late']],
])('a renewal that the issuer answers late %s', async (_what, afterMs, expected) => {
  // Two may be asked for within one second.
  const now = Math.floor(Date.now() / 1000) * 1000 + 789;
  vi.useFakeTimers({ toFake: ['Date'], now });
  const ecKey = (kid: string) => ({ kty: 'EC', kid });
  vi.spyOn(SimpleFetcher.prototype, 'fetch').mockImplementation(async () => {
    vi.setSystemTime(now + 3000);
    await keep({ key_set: JSON.stringify({ keys: [ecKey('newer')] }), fetched_at: now + afterMs });
    return new TextEncoder().encode(JSON.stringify({ keys: [ecKey('late')] })).buffer;
  });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.mocked(SimpleFetcher.prototype.fetch).mockRestore();
  });
  await renewStoredKeys(table, uri);
  const kept = await readStoredKeys(table, uri);
  expect(kept?.keys.map(({ kid }) => kid)).toEqual(expected);
  expect(kept?.fetchedAt).toBe(expected.includes('late') ? now : now + afterMs);
});
