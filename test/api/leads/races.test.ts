import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { some } from '../../support/some.ts';

// What comes at once by chance, of all operations, is in test/simulation.

const atOnce = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

const lead = (organization: Organization, fields: object = {}) => ({
  contact_name: 'Maria Silva',
  pipeline_id: organization.pipelineId,
  ...fields,
});

test('20 creates at once with one email make one 201 and 19 × 409', async () => {
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
