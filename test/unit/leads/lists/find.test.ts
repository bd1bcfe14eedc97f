import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Lead, leadPatch, patchLead } from '../../../../lib/leads/lead.ts';
import { mergeLeadWrites, updateLeadWrites } from '../../../../lib/leads/lead-writes.ts';
import { findLeads } from '../../../../lib/leads/lists/find.ts';
import type { Filters } from '../../../../lib/leads/lists/terms/filters.ts';
import { newestFirst, type Order } from '../../../../lib/leads/lists/terms/orders.ts';
import { mergeFields } from '../../../../lib/leads/merge-fields.ts';
import { putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { commitIn, someOrigin } from '../../../support/origin.ts';
import { beforeLeads, pipelineOf, storedLead, storeLead, table } from '../leads-in-process.ts';

// What is found by any contacts: test/api/leads/any-sequence.test.ts.

const email = 'ana@example.com';
const ofEmail: Filters = { tags: [], email };

test('a list by email goes on after any id, and a made-up place behind all of them is no cursor', async () => {
  const filters = { ...ofEmail, pipeline_id: randomUUID() };
  const after = (place: string) => findLeads(table, randomUUID(), filters, 10, place);
  expect(await after('01a215c1-0000-7000-8000-000000000000')).toEqual({
    leads: [],
    next: undefined,
  });
  await expect(after('ffffffff-ffff-7fff-8fff-ffffffffffff')).rejects.toMatchObject({
    code: 'invalid_cursor',
  });
});

/** An organization with three pipelines: one where leads have an email to themselves, and two where they share it. */
const makeOrganization = async () => {
  const actor = { organizationId: randomUUID(), origin: someOrigin };
  const strict = pipelineOf({ unique_contact: ['email'] });
  const [open, other] = [pipelineOf(), pipelineOf()];
  const pipelines = [strict, open, other];
  await commitIn(table)(pipelines.flatMap((one) => putPipeline(actor.organizationId, one)));
  return { actor, strict, open, other };
};

type Read = (after: string | undefined) => Promise<{ leads: Lead[]; next: string | undefined }>;

/** The ids of each page of a list. */
const pagesOf = async (read: Read): Promise<string[][]> => {
  const pages: string[][] = [];
  let next: string | undefined;
  do {
    const page = await read(next);
    pages.push(page.leads.map(({ id }) => id));
    next = page.next;
  } while (next !== undefined && pages.length < 10);
  return pages;
};

test('the last lead that has an email ends the list, also where the last page is full', async () => {
  const { actor, strict, open, other } = await makeOrganization();
  const leads: Lead[] = [];
  for (const pipeline of [open, strict, other, open, open])
    leads.push(await storeLead(actor, pipeline, { email, external_id: randomUUID() }));
  for (const filters of [ofEmail, { ...ofEmail, pipeline_id: open.id }]) {
    const oldestFirst = leads
      .filter(({ pipeline_id }) => pipeline_id === (filters.pipeline_id ?? pipeline_id))
      .map(({ id }) => id);
    const orders: [Order, string[]][] = [
      [newestFirst, oldestFirst.toReversed()],
      [{ ...newestFirst, descending: false }, oldestFirst],
    ];
    for (const [order, wanted] of orders) {
      for (const limit of [1, 2, 3, 4, 5, 6]) {
        const pages = await pagesOf((after) =>
          findLeads(table, actor.organizationId, filters, limit, after, order),
        );
        expect(pages.flat()).toEqual(wanted);
        expect(pages).toHaveLength(Math.ceil(wanted.length / limit));
      }
    }
  }
  const byId = { tags: [], external_id: leads[0]!.external_id! };
  expect(await findLeads(table, actor.organizationId, byId, 1)).toEqual({
    leads: [leads[0]],
    next: undefined,
  });
});

type Actor = Awaited<ReturnType<typeof makeOrganization>>['actor'];

const merge = async (actor: Actor, survivor: Lead, other: Lead): Promise<void> => {
  const [before, from] = await Promise.all(
    [survivor, other].map((one) => storedLead(actor.organizationId, one)),
  );
  const result = mergeFields(before!, from!, Date.now());
  await commitIn(table)(mergeLeadWrites(actor, before!, from!, result, undefined).writes);
};

test.each<[string, 'open' | 'strict', Partial<Lead>]>([
  ['an email that leads share', 'open', { email }],
  ['an email that one lead has to itself', 'strict', { email }],
  ['an external id', 'open', { external_id: 'crm-1' }],
])(
  'a lead that is merged while it is looked up by %s is found as its survivor',
  async (_, of, value) => {
    const { actor, ...pipelines } = await makeOrganization();
    const make = (fields: object) => storeLead(actor, pipelines[of], fields);
    const [last, second, survivor] = [await make({}), await make({}), await make({})];
    const first = await make(value);
    const filters = { tags: [], ...value } as Filters;
    const merging = beforeLeads(async (time) => {
      if (time === 1) await merge(actor, survivor, first);
    });
    const found = await findLeads(merging.on, actor.organizationId, filters, 10);
    expect([found.leads, merging.times()]).toMatchObject([[{ id: survivor.id, ...value }], 2]);

    // It looks once more, and no further: where that goes on, it ends.
    const going = beforeLeads((time) =>
      time === 1 ? merge(actor, second, survivor) : merge(actor, last, second),
    );
    const page = await findLeads(going.on, actor.organizationId, filters, 10);
    expect([page, going.times()]).toEqual([{ leads: [], next: undefined }, 2]);
  },
);

test('a second page whose leads are merged meanwhile goes on behind the first', async () => {
  const { actor, open, other } = await makeOrganization();
  const leads: Lead[] = [];
  for (const pipeline of [open, open, other, open, open])
    leads.push(await storeLead(actor, pipeline, { email }));
  const [oldest, second, third] = leads as [Lead, Lead, Lead, Lead, Lead];
  const first = await findLeads(table, actor.organizationId, ofEmail, 2);
  const { on } = beforeLeads(async (time) => {
    if (time === 1) await merge(actor, oldest, second);
  });
  const page = await findLeads(on, actor.organizationId, ofEmail, 2, first.next);
  expect(page.leads.map(({ id }) => id)).toEqual([third.id, oldest.id]);
  expect(page.next).toBeUndefined();
});

test('a lead that moves between two pipelines while both are read is found once', async () => {
  const { actor, strict, open } = await makeOrganization();
  const lead = await storeLead(actor, strict, { email });
  const move = async () => {
    const before = await storedLead(actor.organizationId, lead);
    const patch = leadPatch.parse({ pipeline_id: open.id });
    const after = patchLead(before.lead, patch, open, Date.now());
    await commitIn(table)(updateLeadWrites(actor, before, after, open).writes);
  };
  // Who has the email to itself is read, the lead moves, and then who shares it.
  let moved: Promise<void> | undefined;
  const { on } = beforeLeads(async () => {});
  const moving: typeof on = {
    ...on,
    getAll: async (keys) => {
      const items = await on.getAll(keys);
      moved ??= move();
      return items;
    },
    query: async (input) => {
      if (!String(input.values[':pk']).startsWith('CONTACT#')) return table.query(input);
      while (!moved) await new Promise((resolve) => setImmediate(resolve));
      await moved;
      return table.query(input);
    },
  };
  const { leads } = await findLeads(moving, actor.organizationId, ofEmail, 10);
  expect(leads.map(({ id }) => id)).toEqual([lead.id]);
});
