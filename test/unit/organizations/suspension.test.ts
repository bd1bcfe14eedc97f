import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { handler as createApiKey } from '../../../functions/keys/create-api-key.ts';
import { handler as getMe } from '../../../functions/organizations/get-me.ts';
import {
  handler as getOrganization,
  operation,
} from '../../../functions/organizations/get-organization.ts';
import { handler as putSuspension } from '../../../functions/organizations/put-suspension.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { isInOrganization } from '../../../lib/operations/definition.ts';
import { apiKeyRoles, isPlatformPermission, roles } from '../../../lib/operations/permissions.ts';
import type { Step } from '../../support/faults/step.ts';
import { some } from '../../support/some.ts';
import { sign } from '../../support/tokens.ts';
import { echo } from '../echo.ts';
import { Organization, platformHeaders, run, surroundings, withSteps } from '../support.ts';
import { ask, operations } from './every-operation.ts';

// Every operation with every credential, in `npm test` with some, in an organization that is suspended, and in one that is
// not.

const suspend = async (organization_id: string, suspended: boolean) => {
  const { status, body } = await run(putSuspension, {
    path: { organization_id },
    headers: platformHeaders,
    body: JSON.stringify({ suspended }),
  });
  expect([status, body]).toEqual([200, { organization_id, suspended }]);
};

/** Each credential by its name. */
const credentialsOf = async (organization: Organization) => {
  const credentials: Record<string, string> = {};
  for (const role of roles) credentials[role] = organization.tokens[role];
  for (const role of apiKeyRoles) {
    const headers = organization.headers({ 'Content-Type': 'application/json' });
    const body = JSON.stringify({ name: role, role });
    credentials[`API key, ${role}`] = (await run(createApiKey, { headers, body })).body.key;
  }
  return credentials;
};

let suspended: Organization;
let open: Organization;
let own: Record<string, string>;
let ownOfOpen: Record<string, string>;
let stranger: string;

beforeAll(async () => {
  [suspended, open] = [await Organization.make(), await Organization.make()];
  [own, ownOfOpen] = [await credentialsOf(suspended), await credentialsOf(open)];
  stranger = await sign({ sub: randomUUID() });
  await suspend(suspended.id, true);
});

const inOrganization = operations.filter(({ operation }) => isInOrganization(operation));

/** The owner's, and of the others some in `npm test`. */
const namesFor = (id: string): string[] => {
  const others = Object.keys(own).filter((name) => name !== 'owner');
  return ['owner', ...some(others, 2, `suspended ${id}`)];
};

const elsewhere = operations.filter(({ operation }) => !isInOrganization(operation));

describe.each(inOrganization)('$operation.id', (one) => {
  const { permission } = one.operation;
  const codeOf = async (credential: string, { id }: Organization) =>
    (await ask(one, credential, id)).code;

  test('is refused to every member and API key while the organization is suspended', async () => {
    const told: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const name of namesFor(one.operation.id)) {
      told[name] = await codeOf(own[name]!, suspended);
      // Whoever may not do it hears that, as ever.
      const asEver = await codeOf(ownOfOpen[name]!, open);
      expected[name] = asEver === 'forbidden' ? asEver : 'organization_suspended';
    }
    expect(told).toEqual(expected);
    expect(told.owner).toBe(
      isPlatformPermission(permission) ? 'forbidden' : 'organization_suspended',
    );
  });

  test('answers a platform key as ever, and tells a stranger nothing', async () => {
    const key = surroundings.platformKey;
    expect(await codeOf(key, suspended)).toBe(await codeOf(key, open));
    expect(await ask(one, stranger, suspended.id)).toEqual(await ask(one, stranger, open.id));
    expect(await codeOf(stranger, suspended)).toBe('forbidden');
    expect(await codeOf(own.owner!, open)).toBe('forbidden');
  });
});

test.each(elsewhere)('$operation.id is in no organization: it answers as ever', async (one) => {
  for (const name of namesFor(one.operation.id)) {
    const [ofSuspended, ofOpen] = [
      await ask(one, own[name]!, suspended.id),
      await ask(one, ownOfOpen[name]!, open.id),
    ];
    expect([name, ofSuspended.code]).toEqual([name, ofOpen.code]);
  }
});

test('a member is out at once, sees the organization in GET /me, and is in again at once', async () => {
  const organization = await Organization.make();
  const statusOf = async () => {
    const { status, body } = await run(getOrganization, { headers: organization.headers() });
    return [status, body.error?.code];
  };
  for (let i = 0; i < 2; i++) {
    expect(await statusOf()).toEqual([200, undefined]);
    await suspend(organization.id, true);
    await suspend(organization.id, true);
    for (let j = 0; j < 2; j++) expect(await statusOf()).toEqual([403, 'organization_suspended']);
    const seen = await run(getOrganization, {
      headers: { ...platformHeaders, 'X-Organization-Id': organization.id },
    });
    expect([seen.status, seen.body.suspended]).toEqual([200, true]);
    const headers = { Authorization: `Bearer ${organization.tokens.owner}` };
    expect((await run(getMe, { headers })).body.organizations).toHaveLength(1);
    await suspend(organization.id, false);
  }
  expect(await statusOf()).toEqual([200, undefined]);
});

test('an organization that is none is not found', async () => {
  const { status, body } = await run(putSuspension, {
    path: { organization_id: randomUUID() },
    headers: platformHeaders,
    body: JSON.stringify({ suspended: true }),
  });
  expect([status, body.error.code]).toEqual([404, 'not_found']);
});

test('a suspended member costs two reads, and no operation is read for it once that was seen', async () => {
  const reads: string[] = [];
  const looking: Step = (request, pass) => {
    const keys = [...request.body.toString().matchAll(/"pk":\{"S":"(\w+)/g)];
    if (request.operation.endsWith('GetItem')) reads.push(...keys.map(([, name]) => name!));
    return pass();
  };
  await withSteps([looking], async () => {
    const handler = serve(operation);
    const ask = async () => {
      reads.length = 0;
      const { log } = await run(handler, { headers: suspended.headers() });
      expect(log[0]?.line.code).toBe('organization_suspended');
      return reads.toSorted();
    };
    expect(await ask()).toEqual(['ISSUER', 'MEMBERS', 'ORG', 'REQUESTS']);
    for (let i = 0; i < 2; i++) expect(await ask()).toEqual(['MEMBERS', 'REQUESTS']);
  });
});

test('where the counter can’t be read, the organization is let in: a suspension is no wall', async () => {
  const organization = await Organization.make();
  await suspend(organization.id, true);
  const failing: Step = (request, pass) =>
    request.body.includes('REQUESTS#') && request.operation.endsWith('GetItem')
      ? Promise.resolve(undefined)
      : pass();
  await withSteps([failing], async () => {
    const { read: _, ...unread } = echo();
    const headers = organization.headers({ 'Content-Type': 'application/json' });
    const request = { path: { id: 'a' }, headers, body: '{}' };
    expect((await run(serve(unread), request)).status).toBe(201);
  });
});
