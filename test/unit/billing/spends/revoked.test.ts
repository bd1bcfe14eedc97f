import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { operation as createSpends } from '../../../../functions/billing/create-spends.ts';
import { handler as getBalance } from '../../../../functions/billing/get-balance.ts';
import { handler as putSpend } from '../../../../functions/billing/put-spend.ts';
import { handler as createApiKey } from '../../../../functions/keys/create-api-key.ts';
import { handler as revokeApiKey } from '../../../../functions/keys/revoke-api-key.ts';
import { handler as deleteMember } from '../../../../functions/organizations/delete-member.ts';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import { createPlatformKey, revokePlatformKey } from '../../../../tools/admin/platform-keys.ts';
import { localTable } from '../../../../tools/demo/platform-key.ts';
import type { Step } from '../../../support/faults/step.ts';
import { Organization, run, surroundings, withSteps } from '../../support.ts';

// A batch of spends is one transaction. Who lost a race, and has lost the right to spend meanwhile, spends nothing.

const ofOwner = (organization: Organization) =>
  organization.headers({ 'Content-Type': 'application/json' });

const spendOne = (organization: Organization) =>
  run(putSpend, {
    headers: ofOwner(organization),
    path: { event_id: randomUUID() },
    body: '{"stars":1}',
  });

/** Credentials, and what takes each away. */
const credentials: Record<
  string,
  (organization: Organization) => Promise<[string, () => Promise<unknown>]>
> = {
  async 'a member'(organization) {
    const path = { user_id: organization.users.meter };
    return [
      organization.tokens.meter,
      () => run(deleteMember, { headers: organization.headers(), path }),
    ];
  },
  async 'an API key'(organization) {
    const body = JSON.stringify({ name: 'Robot', role: 'meter' });
    const { id, key } = (await run(createApiKey, { headers: ofOwner(organization), body })).body;
    const path = { key_id: id };
    return [key, () => run(revokeApiKey, { headers: organization.headers(), path })];
  },
  async 'a platform key'() {
    const table = localTable(surroundings.tableEndpoint, surroundings.tableName);
    const { id, key } = await createPlatformKey(table, { name: 'Robot', role: 'billing_system' });
    return [key, () => revokePlatformKey(table, id)];
  },
};

test.each(Object.entries(credentials))(
  '%s that is revoked while a batch of spends loses a race spends nothing; one that is not spends all',
  async (what, make) => {
    for (const isRevoked of [false, true]) {
      const organization = await Organization.make({ wallet: { pack_stars: 100 } });
      const [credential, revoke] = await make(organization);
      // Clients look for the engine at their first request.
      await spendOne(organization);
      let isFirst = true;
      const racing: Step = async (request, pass) => {
        if (request.operation === 'TransactWriteItems' && isFirst) {
          isFirst = false;
          await spendOne(organization);
          if (isRevoked) await revoke();
        }
        return pass();
      };
      await withSteps([racing], async () => {
        const spends = Array.from({ length: 3 }, () => ({ event_id: randomUUID(), stars: 10 }));
        const headers = { ...ofOwner(organization), Authorization: `Bearer ${credential}` };
        const { status, body } = await run(serve(createSpends), {
          headers,
          body: JSON.stringify({ spends }),
        });
        const codes = body.items.map((item: { status: number; error?: { code: string } }) =>
          item.error ? item.error.code : item.status,
        );
        const refusal = what === 'a member' ? 'forbidden' : 'unauthenticated';
        expect([status, codes]).toEqual([200, Array(3).fill(isRevoked ? refusal : 201)]);
      });
      const { total_stars } = (await run(getBalance, { headers: organization.headers() })).body;
      expect(total_stars).toBe(isRevoked ? 98 : 68);
    }
  },
);
