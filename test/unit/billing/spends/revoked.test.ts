import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { operation as createSpends } from '../../../../functions/billing/create-spends.ts';
import { handler as getBalance } from '../../../../functions/billing/get-balance.ts';
import { handler as putSpend } from '../../../../functions/billing/put-spend.ts';
import { handler as deleteMember } from '../../../../functions/organizations/delete-member.ts';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import type { Step } from '../../../support/faults/step.ts';
import { type Revocable, revocableKeys } from '../../revocable.ts';
import { Organization, run, withSteps } from '../../support.ts';

// A batch of spends is one transaction. Who lost a race, and has lost the right to spend meanwhile, spends nothing.

const ofOwner = (organization: Organization) =>
  organization.headers({ 'Content-Type': 'application/json' });

const spendOne = (organization: Organization) =>
  run(putSpend, {
    headers: ofOwner(organization),
    path: { event_id: randomUUID() },
    body: '{"stars":1}',
  });

/** By a client that has looked for the engine already. */
const revocableMember = async (organization: Organization): Promise<Revocable> => {
  const remove = (user_id: string) =>
    run(deleteMember, { headers: organization.headers(), path: { user_id } });
  await remove(randomUUID());
  return [organization.tokens.meter, () => remove(organization.users.meter)];
};

const revocable: typeof revocableKeys = { 'a member': revocableMember, ...revocableKeys };

test.each(Object.entries(revocable))(
  '%s that is revoked while a batch of spends loses a race spends nothing; one that is not spends all',
  async (what, make) => {
    for (const isRevoked of [false, true]) {
      const organization = await Organization.make({ wallet: { pack_stars: 100 } });
      const [credential, revoke] = await make(organization, 'meter');
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
