import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { pick, random, seed } from '../../support/random.ts';
import { some, times } from '../../support/some.ts';

const atOnce = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const lead = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria Silva',
  pipeline_id: organization.pipelineId,
  ...fields,
});

test('20 at once with one email make one 201 and 19 × 409', async () => {
  const organization = await provision();
  const answers = await atOnce(20, () =>
    organization.post('/leads', lead(organization, { email: 'm@example.com' })),
  );
  const created = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ body }) => body.error?.code === 'duplicate_lead');
  expect([created.length, refused.length]).toEqual([1, 19]);
  for (const { body } of refused) expect(body.error.details[0].lead_id).toBe(created[0]?.body.id);
});

test('pages read while leads are being created show every earlier lead once', async () => {
  const organization = await provision();
  const leads = Array(40).fill(lead(organization));
  const { body } = await organization.post('/leads/batch', { leads });
  const earlier: { id: string }[] = body.items.map((item: { lead: object }) => item.lead);
  let reading = true;
  const creating = (async () => {
    while (reading) await organization.lead();
  })();
  const seen = (await organization.readAll('/leads', 7)).map(({ id }) => id);
  reading = false;
  await creating;
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
  expect(earlier.filter(({ id }) => !seen.includes(id))).toEqual([]);
});

const upsert = (organization: Organization, match: string, fields: object) =>
  organization.post('/leads/upsert', { match, lead: lead(organization, fields) });

const matches = { external_id: 'crm-1', email: 'm@example.com' };

test.each(some(Object.entries(matches), 1, 'matches'))(
  '20 upserts at once by one %s make one lead, and none is refused',
  async (match, value) => {
    const [organization, other] = [await provision(), await provision()];
    // Where a machine has more to do than it can, a function may start for longer than it may run.
    await atOnce(3, (i) => upsert(other, match, { [match]: `${i}${value}` }));
    const answers = await atOnce(20, (i) =>
      upsert(organization, match, { [match]: value, value_cents: i, tags: [`t${i}`] }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    const leads = await organization.readAll('/leads');
    expect(leads.length).toBe(1);
    const [{ value_cents, tags }] = leads;
    expect(tags).toEqual([`t${value_cents}`]);
    const history = await organization.readAll(`/leads/${leads[0].id}/history`);
    expect(history.length).toBe(20);
    await expectFindable(organization);
  },
);

test('four batches at once, each of five upserts of one lead, make one lead', async () => {
  const organization = await provision();
  const leads = Array(5).fill(lead(organization, { external_id: 'one' }));
  const answers = await atOnce(4, (n) =>
    organization.post('/leads/batch', {
      match: 'external_id',
      leads: leads.map((one, i) => ({ ...one, value_cents: 10 * n + i })),
    }),
  );
  const items: { status: number }[] = answers.flatMap(({ body }) => body.items);
  expect(items.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(await organization.readAll('/leads')).toHaveLength(1);
  await expectFindable(organization);
});

test(`upserts, creates, patches and deletes at once over the same contacts leave no contact with two leads, and none without (SEED=${seed})`, async () => {
  const stages = [{ name: 'new', outcome: 'open' }];
  const organization = await provision({
    pipelines: [
      { name: 'A', stages, unique_contact: ['email', 'phone'] },
      { name: 'B', stages, unique_contact: [] },
    ],
  });
  const next = random(seed);
  const maybe = <T>(values: readonly T[]) => pick(next, values);
  const fields = () => ({
    pipeline_id: maybe(organization.pipelines).id,
    email: maybe([null, 'a@example.com', 'A@example.com', 'b@example.com']),
    phone: maybe([null, '+5511987654321', '+5511987654322']),
    external_id: maybe([null, 'one', 'two', 'three']),
    value_cents: Math.floor(next() * 1000),
  });
  const expected: Record<string, number[]> = {
    create: [201, 409],
    // 400: without what it matches by, or where that is not unique.
    upsert: [200, 201, 400, 409],
    patch: [200, 404, 409],
    delete: [204, 404, 409],
  };
  for (let round = 0; round < times(2, 6); round++) {
    const leads: { id: string }[] = await organization.readAll('/leads');
    const path = () => `/leads/${maybe(leads)?.id ?? randomUUID()}`;
    const acts: Record<string, () => Promise<{ status: number; text: string }>> = {
      create: () => organization.post('/leads', lead(organization, fields())),
      upsert: () =>
        organization.post('/leads/upsert', {
          match: maybe(['external_id', 'email', 'phone']),
          move: maybe([true, false]),
          lead: lead(organization, fields()),
        }),
      patch: () => organization.patch(path(), fields()),
      delete: () => organization.delete(path()),
    };
    await atOnce(20, async () => {
      const name = maybe(['create', 'upsert', 'upsert', 'upsert', 'patch', 'patch', 'delete']);
      const { status, text } = await acts[name]!();
      expect(expected[name], `${name}: ${text}`).toContain(status);
    });
    await expectFindable(organization);
  }
  const inA = (await organization.readAll('/leads')).filter(
    ({ pipeline_id }) => pipeline_id === organization.pipelineId,
  );
  for (const field of ['email', 'phone']) {
    const values = inA.flatMap((one) => one[field]?.toLowerCase() ?? []);
    expect(new Set(values).size).toBe(values.length);
  }
});
