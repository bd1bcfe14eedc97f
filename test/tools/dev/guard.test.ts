import { describe, inject, test } from 'vitest';
import {
  expectStatus,
  foreignHosts,
  foreignOrigins,
  ownHosts,
  type Served,
} from '../../../packages/runner/test/guarding.ts';

// What a page in somebody's browser may ask of what this service serves beside its API: test/browser/foreign-pages.test.ts
// asks from pages, and packages/runner/test/guard.test.ts asks the runner's own ports.

const docs = `${new URL(inject('service').baseUrl).origin}/docs`;
const redirect = `redirect_uri=${encodeURIComponent(`${docs}/`)}`;

const served: Served[] = [
  { what: 'the reference', method: 'GET', address: () => `${docs}/`, status: 200 },
  {
    what: 'the login',
    method: 'GET',
    address: () => `${docs}/login?${redirect}`,
    status: 200,
    ownAddressOnly: true,
  },
  {
    what: 'a code',
    method: 'GET',
    address: () => `${docs}/issuer/authorize?response_type=code&${redirect}`,
    status: 302,
    ownAddressOnly: true,
  },
  { what: 'a token', method: 'POST', address: () => `${docs}/issuer/token`, status: 400 },
];

describe.each(served)('$what', (one) => {
  test('is for programs of this machine, by any of its names', () =>
    expectStatus(
      one,
      [{}, ...(one.ownAddressOnly ? [] : ownHosts).map((Host) => ({ Host }))],
      one.status,
    ));

  test('is for the page that it serves itself', () =>
    expectStatus(one, [{ Origin: new URL(one.address()).origin }], one.status));

  test.each(foreignHosts)('is not for a page whose name leads here: %s', (Host) =>
    expectStatus(one, [{ Host }, { Host, Origin: `http://${Host}` }], 403),
  );

  test.each(foreignOrigins)('is not for a page of another origin: %j', (Origin) =>
    expectStatus(one, [{ Origin }], 403),
  );
});
