import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { operation } from '../../../../functions/leads/create-leads.ts';
import { handler as listLeads } from '../../../../functions/leads/list-leads.ts';
import { operation as updateLeads } from '../../../../functions/leads/update-leads.ts';
import { serve } from '../../../../lib/handlers/http/serve.ts';
import type { AnyOperation } from '../../../../lib/operations/kinds/operation.ts';
import { putMember, removeMember } from '../../../../lib/organizations/members.ts';
import { openTable } from '../../../../lib/table/client.ts';
import type { ProxyRequest, Step } from '../../../support/faults/step.ts';
import { commitIn } from '../../../support/origin.ts';
import { revocableKeys } from '../../revocable.ts';
import { Organization, run, withSteps } from '../../support.ts';

// Batches while something happens between the functions and their table.

/** By a function that is started for it. */
const send = (organization: Organization, body: object, key?: string) => {
  const keyed = key === undefined ? {} : { 'Idempotency-Key': key };
  const headers = organization.headers({ 'Content-Type': 'application/json', ...keyed }, 'agent');
  return run(serve(operation), { headers, body: JSON.stringify(body) });
};

const hundred = ({ pipelineId }: Organization) =>
  Array.from({ length: 100 }, (_, i) => ({ contact_name: `Lead ${i}`, pipeline_id: pipelineId }));

/** The agent's membership as the organization was made with it, and once it is removed. */
const asMade = { role: 'agent', name: null, version: 1 } as const;
const removed = { role: undefined, name: null, version: 2 };

interface Outcome {
  status: number;
  error?: { code: string };
}

const count = async (organization: Organization): Promise<number> => {
  const request = { headers: organization.headers(), query: { limit: ['200'] } };
  return (await run(listLeads, request)).body.items.length;
};

const isCreate = ({ operation, body }: ProxyRequest): boolean =>
  operation === 'TransactWriteItems' && body.includes('contact_name');
const isUpdate = ({ operation, body }: ProxyRequest): boolean =>
  operation === 'TransactWriteItems' && body.includes('lead.updated');

test.each([10, 11])(
  'at most ten leads follow the removal of their maker, who hears of each: removed at the %i. lead',
  async (place) => {
    const organization = await Organization.make();
    const { id, users } = organization;
    const key = randomUUID();
    let creates = 0;
    const removeAtPlace: Step = async (request, pass) => {
      if (isCreate(request) && ++creates === place) {
        await commitIn(openTable())(removeMember(id, users.agent, Date.now(), asMade));
      }
      return pass();
    };
    // Its clients look for the engine at their first request.
    await count(organization);
    await withSteps([removeAtPlace], async () => {
      const answer = await send(organization, { leads: hundred(organization) }, key);
      expect(answer.status).toBe(200);
      const made = 10 * Math.ceil(place / 10);
      const codes = answer.body.items.map((item: Outcome) => item.error?.code ?? item.status);
      expect(codes).toEqual([...Array(made).fill(201), ...Array(100 - made).fill('forbidden')]);
    });
    // Those that were begun with it are made, and no other.
    expect(await count(organization)).toBe(10 * Math.ceil(place / 10));

    const agent = { user_id: users.agent, role: 'agent', name: null } as const;
    await commitIn(openTable())(putMember(id, agent, Date.now(), removed));
    const again = await send(organization, { leads: hundred(organization) }, key);
    expect(again.body.items.map(({ status }: Outcome) => status)).toEqual(Array(100).fill(201));
    expect(await count(organization), 'the repeat goes on where it was').toBe(100);
  },
);

test.each(Object.entries(revocableKeys))(
  'at most ten leads of a batch follow the revocation of %s, new ones and patched ones',
  async (_what, make) => {
    const organization = await Organization.make();
    const by = async (
      operation: AnyOperation,
      body: object,
      isPart: (request: ProxyRequest) => boolean,
    ) => {
      const [key, revoke] = await make(organization, 'agent');
      let parts = 0;
      const revokeAtTenth: Step = async (request, pass) => {
        if (isPart(request) && ++parts === 10) await revoke();
        return pass();
      };
      const headers = {
        ...organization.headers({ 'Content-Type': 'application/json' }),
        Authorization: `Bearer ${key}`,
      };
      const answers: Outcome[] = [];
      await withSteps([revokeAtTenth], async () => {
        const { body: answer } = await run(serve(operation), {
          headers,
          body: JSON.stringify(body),
        });
        answers.push(...answer.items);
      });
      return answers.map(({ status, error }) => error?.code ?? status);
    };
    const leads = hundred(organization).slice(0, 25);
    expect(await by(operation, { leads }, isCreate)).toEqual([
      ...Array(10).fill(201),
      ...Array(15).fill('unauthenticated'),
    ]);
    const { items } = (await send(organization, { leads })).body;
    const patches = items.map(({ lead }: { lead: { id: string } }) => ({
      id: lead.id,
      patch: { value_cents: 7 },
    }));
    expect(await by(updateLeads, { leads: patches }, isUpdate)).toEqual([
      ...Array(10).fill(200),
      ...Array(15).fill('unauthenticated'),
    ]);
  },
);

// With a key: test/faults/every-fault.test.ts.
test('a batch whose answers are lost says of each lead what became of it, also without a key', async () => {
  const organization = await Organization.make();
  const lost = new Set<string>();
  const loseFirstReplies: Step = async (request, pass) => {
    const token = /"ClientRequestToken":"([^"]+)"/.exec(request.body.toString())?.[1];
    const reply = await pass();
    if (!isCreate(request) || !token || lost.has(token)) return reply;
    lost.add(token);
    return undefined;
  };
  await withSteps([loseFirstReplies], async () => {
    const leads = hundred(organization).slice(0, 20);
    const { body } = await send(organization, { leads });
    expect(body.items.map(({ status }: Outcome) => status)).toEqual(Array(20).fill(201));
  });
  expect([lost.size, await count(organization)]).toEqual([20, 20]);
});

const slow = 'Slow';

/** What becomes of the leads, where the one with this name takes its time. */
const outcomesOf = async (body: object) => {
  const hold: Step = async (request, pass) => {
    if (isCreate(request) && request.body.includes(slow)) await setTimeout(100);
    return pass();
  };
  const statuses: number[] = [];
  await withSteps([hold], async () => {
    const answer = await send(competing, body);
    statuses.push(...answer.body.items.map(({ status }: Outcome) => status));
  });
  return statuses;
};

let competing: Organization;

beforeAll(async () => {
  const stages = [{ name: 'new', outcome: 'open' }];
  const unique_contact = ['email', 'phone'];
  competing = await Organization.make({
    pipelines: [{ name: 'Inbound', stages, default_stage: 'new', unique_contact }],
  });
});

test.each([
  ['external_id', undefined, 'a', 'a'],
  ['email', undefined, 'ana@example.com', 'ANA@example.com'],
  ['phone', undefined, '+351912345678', '+351912345678'],
  ['external_id', 'external_id', 'b', 'b'],
  ['email', 'email', 'rui@example.com', 'RUI@example.com'],
  ['phone', 'phone', '+351912345679', '+351912345679'],
])(
  'of leads that compete for %s, matched by %s, the first in the request comes first, however slow',
  async (field, match, ...values) => {
    const lead = { contact_name: 'Ana', pipeline_id: competing.pipelineId };
    const [first, second] = values.map((value) => ({ ...lead, [field]: value }));
    const leads = [{ ...first, contact_name: slow }, second];
    expect(await outcomesOf({ match, leads })).toEqual([201, match ? 200 : 409]);
  },
);

test('the first of leads that compete comes also before one that changes what is in its way', async () => {
  const { pipelineId: pipeline_id } = competing;
  const upsert = (contact_name: string, external_id: string, mailbox: string) => {
    const email = `${mailbox}@example.com`;
    return { contact_name, external_id, email, pipeline_id };
  };
  const leads = [
    upsert('Eva', 'c', 'eva'),
    upsert(slow, 'd', 'eva'),
    upsert('Eva', 'c', 'eva.dias'),
    upsert('Ivo', 'e', 'eva'),
  ];
  const outcomes = await outcomesOf({ match: 'external_id', leads });
  expect(outcomes).toEqual([201, 409, 200, 201]);
});
