import { afterEach, expect, test } from 'vitest';
import { tellBegun } from '../../lib/handlers/begun.ts';
import type { HttpHandler } from '../../lib/handlers/http/chain.ts';
import { chainGrants, serve } from '../../lib/handlers/http/serve.ts';
import { issuerKeys } from '../support/tokens.ts';
import { echo, echoed } from './echo.ts';
import { Organization, run, withVariable } from './support.ts';

// What test/stack/start.test.ts shows of a bundle, for the handler itself: something was begun before it was loaded.

afterEach(() => tellBegun({}));

test('the first request is answered with what was begun', async () => {
  const organization = await Organization.make();
  const ask = async (handler: HttpHandler) => (await run(handler, echoed(organization))).status;
  tellBegun({ keys: { askedAt: Date.now(), body: issuerKeys() } });
  const made = serve(echo());
  tellBegun({});
  await withVariable('JWKS_URI', 'https://127.0.0.1:9/keys', async () => {
    expect(await ask(made)).toBe(201);
    // Control: where nothing was begun, keys are asked for then.
    expect(await ask(serve(echo()))).toBe(503);
  });
});

test('the chain’s own permissions are to read, to record under keys, and none without an organization', () => {
  expect(chainGrants(echo())).toEqual(['GetItem', 'PutItem']);
  expect(chainGrants(echo({ idempotent: false }))).toEqual(['GetItem']);
  expect(chainGrants({ ...echo(), scope: 'user' } as never)).toEqual([]);
});
