import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { operation as createLead } from '../../../functions/leads/create-lead.ts';
import { operation as createLeads } from '../../../functions/leads/create-leads.ts';
import { operation as deleteLead } from '../../../functions/leads/delete-lead.ts';
import { operation as mergeLead } from '../../../functions/leads/merge-lead.ts';
import { operation as restoreLead } from '../../../functions/leads/restore-lead.ts';
import { operation as updateLead } from '../../../functions/leads/update-lead.ts';
import { operation as updateLeads } from '../../../functions/leads/update-leads.ts';
import { operation as upsertLead } from '../../../functions/leads/upsert-lead.ts';
import { operation as createPipeline } from '../../../functions/pipelines/create-pipeline.ts';
import { operation as updatePipeline } from '../../../functions/pipelines/update-pipeline.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { places } from '../../../lib/table/keys.ts';
import { jsonReply } from '../../support/faults/failure-replies.ts';
import { withoutGuards } from '../../support/faults/hidden-guards.ts';
import type { Step } from '../../support/faults/step.ts';
import { some } from '../../support/some.ts';
import { type Answer, Organization, run, withSteps } from '../support.ts';

// Who is known is refused by what was read, exactly as the transaction would refuse it.

type Operation = Parameters<typeof serve>[0];

let organization: Organization;
/** In `strict` a lead has email and phone to itself; in `open` leads share them. */
let [strict, open] = ['', ''];

const send = (operation: Operation, path: object, body?: object, key?: string): Promise<Answer> =>
  run(serve(operation), {
    headers: organization.headers({
      'Content-Type': 'application/json',
      ...(key && { 'Idempotency-Key': key }),
    }),
    path: path as Record<string, string>,
    ...(body && { body: JSON.stringify(body) }),
  });

const done = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return body;
};

const newPipeline = async (unique_contact: string[]): Promise<string> => {
  const stages = [{ name: 'new', outcome: 'open' }];
  return (await done(send(createPipeline, {}, { name: 'P', stages, unique_contact }))).id;
};

beforeAll(async () => {
  organization = await Organization.make();
  [strict, open] = [await newPipeline(['email', 'phone']), await newPipeline([])];
});

const named = (fields: object = {}) => ({ contact_name: 'Ana', pipeline_id: strict, ...fields });
const lead = (fields: object = {}) => done(send(createLead, {}, named(fields)));
const phone = () => `+5511${Math.floor(Math.random() * 1e9)}`.padEnd(14, '0');
const email = () => `${randomUUID()}@example.com`;

/** A lead that has all that is unique. */
const holder = () => lead({ email: email(), phone: phone(), external_id: randomUUID() });
type Holder = Awaited<ReturnType<typeof holder>>;
const fields = ['external_id', 'email', 'phone'] as const;

interface Refused {
  operation: Operation;
  path?: object;
  body?: object;
}
type Case = [name: string, make: (held: Holder) => Promise<Refused>];

const at = ({ id }: Holder) => ({ lead_id: id });
const create = (given: object) => ({ operation: createLead, body: named(given) });
const createSome = (body: object) => ({ operation: createLeads, body });
const patch = (one: Holder, body: object) => ({ operation: updateLead, path: at(one), body });
const upsert = (match: string, lead: object, more: object = {}) => ({
  operation: upsertLead,
  body: { match, lead, ...more },
});

const writes = fields.flatMap((field): Case[] => {
  const of = (held: Holder) => ({ [field]: held[field] });
  return [
    [`a create with ${field}`, async (held) => create(of(held))],
    [
      `a batch with ${field}`,
      async (held) => createSome({ leads: [named(of(held)), named(of(held))] }),
    ],
    [`a patch of ${field}`, async (held) => patch(await holder(), of(held))],
    [
      `a patch of ${field} in a batch`,
      async (held) => ({
        operation: updateLeads,
        body: { leads: [{ id: (await holder()).id, patch: of(held) }] },
      }),
    ],
  ];
});

const upserts = fields
  .flatMap((match) => fields.filter((field) => field !== match).map((field) => [match, field]))
  .flatMap(([match = '', field = '']): Case[] => {
    const other = { external_id: randomUUID, email, phone }[match]!;
    const ofNobody = (held: Holder) => named({ [match]: other(), [field]: held[field] });
    const ofAnother = async (held: Holder) => {
      const found = await holder();
      return { [match]: found[match], [field]: held[field], pipeline_id: strict };
    };
    return [
      [
        `an upsert of a new lead by ${match}, with ${field}`,
        async (held) => upsert(match, ofNobody(held)),
      ],
      [
        `an upsert of a lead that is found by ${match}, with ${field}`,
        async (held) => upsert(match, await ofAnother(held)),
      ],
      [
        `upserts by ${match}, with ${field}`,
        async (held) => createSome({ match, leads: [ofNobody(held), await ofAnother(held)] }),
      ],
    ];
  });

const elsewhere = (given: object = {}) => lead({ pipeline_id: open, ...given });

const moves: Case[] = [
  [
    'a move into the pipeline, with the lead’s own email',
    async ({ email }) => patch(await elsewhere({ email }), { pipeline_id: strict }),
  ],
  [
    'a move into the pipeline, with a new phone',
    async ({ phone }) => patch(await elsewhere(), { pipeline_id: strict, phone }),
  ],
  [
    'an upsert that moves a lead',
    async ({ email }) => {
      const { external_id } = await elsewhere({ external_id: randomUUID() });
      return upsert('external_id', { external_id, pipeline_id: strict, email }, { move: true });
    },
  ],
  [
    'an upsert of a lead that stays in its own pipeline',
    async ({ email }) => {
      const { external_id } = await holder();
      return upsert('external_id', { external_id, pipeline_id: open, email });
    },
  ],
  [
    'a merge of a lead of another pipeline',
    async ({ email }) => ({
      operation: mergeLead,
      path: at(await lead()),
      body: { from: (await elsewhere({ email })).id },
    }),
  ],
  [
    'a restore of a lead whose email another one has by now',
    async () => {
      const deleted = await holder();
      await done(send(deleteLead, at(deleted)));
      await lead({ email: deleted.email });
      return { operation: restoreLead, path: at(deleted) };
    },
  ],
  [
    'a create with two that two have: the external id is told',
    async ({ email }) => create({ email, external_id: (await holder()).external_id }),
  ],
  [
    'a create with the email in other letters',
    async ({ email }) => create({ email: email.toUpperCase() }),
  ],
];

/** The items of each transaction that was sent meanwhile. */
const transactionsOf = async (steps: Step[], work: () => Promise<void>): Promise<string[][]> => {
  const transactions: string[][] = [];
  const watching: Step = (request, pass) => {
    if (request.operation === 'TransactWriteItems') {
      const { TransactItems } = JSON.parse(request.body.toString());
      transactions.push(TransactItems.map((item: object) => JSON.stringify(item)));
    }
    return pass();
  };
  await withSteps([watching, ...steps], work);
  return transactions;
};

const content = ({ status, body }: Answer) => ({
  status,
  items: body.items,
  error: body.error && { ...body.error, request_id: undefined },
});

const refusalsIn = ({ body }: Answer) =>
  (body.items ?? [body]).map(({ error }: { error?: { code: string } }) => error?.code);

test.each([...some([...writes, ...upserts], 12, 'guards'), ...moves])(
  '%s is refused without a transaction, and as by one',
  async (_name, make) => {
    const { operation, path = {}, body } = await make(await holder());
    let [byTransaction, byRead] = [{} as Answer, {} as Answer];
    const sent = await transactionsOf([withoutGuards], async () => {
      byTransaction = await send(operation, path, body);
    });
    expect(new Set(refusalsIn(byTransaction))).toEqual(new Set(['duplicate_lead']));
    // The control: else there would be nothing to save.
    expect(sent.length).toBeGreaterThan(0);
    const saved = await transactionsOf([], async () => {
      byRead = await send(operation, path, body);
    });
    expect(saved).toEqual([]);
    expect(content(byRead)).toEqual(content(byTransaction));
  },
);

test.each([writes[0]!, upserts[0]!, writes[2]!, moves[4]!, moves[5]!])(
  '%s is refused once under a key, for good',
  async (_name, make) => {
    const { operation, path = {}, body } = await make(await holder());
    const key = randomUUID();
    let first = {} as Answer;
    const sent = await transactionsOf([], async () => {
      first = await send(operation, path, body, key);
    });
    expect(first.body.error.code).toBe('duplicate_lead');
    // The record of the refusal, and nothing else.
    expect(sent.map(({ length }) => length)).toEqual([1]);
    await done(send(deleteLead, at({ id: first.body.error.details[0].lead_id })));
    const again = await send(operation, path, body, key);
    expect(content(again)).toEqual(content(first));
    expect(again.headers['Idempotency-Replayed']).toBe('true');
  },
);

test('a contact with a guard from before the pipeline let leads share it is not refused', async () => {
  const pipeline_id = await newPipeline(['email']);
  const { email: shared } = await lead({ pipeline_id, email: email() });
  const another = { pipeline_id, email: shared };
  const { body: refused } = await send(createLead, {}, named(another));
  expect(refused.error.code).toBe('duplicate_lead');
  await done(send(updatePipeline, { pipeline_id }, { unique_contact: [] }));
  await lead(another);
  const { items } = await done(send(createLeads, {}, { leads: [named(another)] }));
  expect(items[0].status).toBe(201);
  await done(send(updateLead, at(await lead({ pipeline_id })), { email: shared }));
});

test('what a lead has itself is not refused, nor what the lead has that is merged into it', async () => {
  const held = await holder();
  const { email, phone, external_id } = held;
  const own = { email, phone, external_id, value_cents: 7 };
  await done(send(updateLead, at(held), own));
  await done(send(updateLead, at(held), { ...own, pipeline_id: strict, value_cents: 8 }));
  const upserted = { match: 'email', lead: named({ ...own, value_cents: 9 }) };
  expect((await done(send(upsertLead, {}, upserted))).outcome).toBe('updated');
  const merged = await done(send(mergeLead, at(await lead()), { from: held.id }));
  expect(merged).toMatchObject({ email, phone, external_id });
});

test('what a lead further up in the same batch gives up is not refused', async () => {
  const [giving, taking] = [await holder(), await holder()];
  const others = await Promise.all(Array.from({ length: 10 }, () => lead()));
  const leads = [
    { id: giving.id, patch: { email: email() } },
    ...others.map(({ id }) => ({ id, patch: { value_cents: 7 } })),
    { id: taking.id, patch: { email: giving.email } },
  ];
  const { items } = await done(send(updateLeads, {}, { leads }));
  expect(items.map(({ status }: { status: number }) => status)).toEqual(Array(12).fill(200));
});

test('of two in one batch that want the same, the second hears of the first, without a transaction', async () => {
  const wanted = { email: email() };
  let answer = {} as Answer;
  const sent = await transactionsOf([], async () => {
    answer = await send(createLeads, {}, { leads: [named(wanted), named(wanted), named(wanted)] });
  });
  const [made, ...refused] = answer.body.items;
  expect(made.status).toBe(201);
  const details = [expect.objectContaining({ path: 'email', lead_id: made.lead.id })];
  for (const { error } of refused) expect(error).toMatchObject({ code: 'duplicate_lead', details });
  expect(sent.length).toBe(1);
});

/** The first so many reads of this guard find that a lead has it. */
const foundFirst = (times: number, pk: string, leadId: string, between = async () => {}): Step => {
  let found = 0;
  return async (request, pass) => {
    const isAsked = request.operation.endsWith('GetItem') && request.body.includes(pk);
    if (!isAsked || found >= times) return pass();
    found++;
    const item = { pk: { S: pk }, sk: { S: 'GUARD' }, lead_id: { S: leadId } };
    const reply = await pass();
    await between();
    const body = JSON.parse(reply.body.toString());
    if (request.operation === 'GetItem') return jsonReply(200, { ...body, Item: item });
    const [[table, items]] = Object.entries(body.Responses) as [[string, object[]]];
    return jsonReply(200, { ...body, Responses: { [table]: [...items, item] } });
  };
};

const guardOf = (address: string) =>
  places.contactGuard.partition({
    organizationId: organization.id,
    pipelineId: strict,
    field: 'email',
    value: address,
  });

// A lead and a guard that were not so at one time.
test('a guard that the lead had itself, and gave up before it was read, refuses nothing', async () => {
  const [found, wanted] = [await holder(), email()];
  await withSteps([foundFirst(1, guardOf(wanted), found.id)], async () => {
    await done(send(updateLead, at(found), { email: wanted }));
  });
});

test('a lead that was changed while its guards were read is looked at again', async () => {
  const [found, wanted] = [await holder(), email()];
  let changes = 0;
  const change = async () => {
    if (changes++ === 0) await done(send(updateLead, at(found), { value_cents: 7 }));
  };
  await withSteps([foundFirst(2, guardOf(wanted), randomUUID(), change)], async () => {
    const changed = await done(send(updateLead, at(found), { email: wanted }));
    expect(changed).toMatchObject({ email: wanted, value_cents: 7 });
  });
});

test('an upsert is not refused for a lead that is gone', async () => {
  const [gone, wanted] = [randomUUID(), email()];
  const upserted = { match: 'external_id', lead: named({ external_id: gone, email: wanted }) };
  await withSteps([foundFirst(1, guardOf(wanted), gone)], async () => {
    expect((await done(send(upsertLead, {}, upserted))).outcome).toBe('created');
  });
});
