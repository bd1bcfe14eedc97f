import { expect, test } from 'vitest';
import {
  handler as createApiKey,
  operation as createOperation,
} from '../../../functions/keys/create-api-key.ts';
import { handler as listApiKeys } from '../../../functions/keys/list-api-keys.ts';
import { operation as revokeOperation } from '../../../functions/keys/revoke-api-key.ts';
import { operation as rotateOperation } from '../../../functions/keys/rotate-api-key.ts';
import { operation as updateOperation } from '../../../functions/keys/update-api-key.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { removeMember } from '../../../lib/organizations/members.ts';
import { openTable } from '../../../lib/table/client.ts';
import type { Step } from '../../support/faults/step.ts';
import { Organization, run, withSteps } from '../support.ts';

const apiKeysOf = async (organization: Organization) =>
  (await run(listApiKeys, { headers: organization.headers() })).body.items;

test.each([
  ['createApiKey', createOperation, { name: 'Theirs', role: 'admin' }],
  ['updateApiKey', updateOperation, { role: 'admin' }],
  ['rotateApiKey', rotateOperation, {}],
  ['revokeApiKey', revokeOperation, undefined],
])('%s takes no effect, held up until its caller is removed', async (_id, operation, body) => {
  const organization = await Organization.make();
  const { id, users } = organization;
  const headers = organization.headers({ 'Content-Type': 'application/json' }, 'admin');
  const input = JSON.stringify({ name: 'Form', role: 'agent' });
  const made = (await run(createApiKey, { headers, body: input })).body;
  const before = await apiKeysOf(organization);

  const request = {
    headers,
    path: operation === createOperation ? null : { key_id: made.id },
    ...(body && { body: JSON.stringify(body) }),
  };
  let isRemoved = false;
  const removeBefore: Step = async ({ operation: asked }, pass) => {
    if (asked === 'TransactWriteItems' && !isRemoved) {
      isRemoved = true;
      await openTable().transact(removeMember(id, users.admin, { version: 1 }));
    }
    return pass();
  };
  await withSteps([removeBefore], async () => {
    const { body: reply } = await run(serve(operation), request);
    expect(reply.error.code).toBe('forbidden');
  });
  expect(await apiKeysOf(organization)).toEqual(before);

  // The same of who is still there.
  const asOwner = { ...request, headers: { ...headers, ...organization.headers() } };
  expect((await run(serve(operation), asOwner)).status).toBeLessThan(300);
  expect(await apiKeysOf(organization)).not.toEqual(operation === rotateOperation ? [] : before);
});
