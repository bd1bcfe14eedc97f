import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const merge = (organization: Organization, id: string, from: string, options = {}) =>
  organization.post(`/leads/${id}/merge`, { from }, options);

// Of any leads, what the survivor has then in lists, counts, search, history and the feed: any-sequence.test.ts.
test('a merge is done once, with a key and without, and leaves the other lead its notes', async () => {
  const organization = await provision();
  const survivor = await organization.lead({ contact_name: 'Ana Kept', phone: '+5511987650000' });
  const other = await organization.lead({
    contact_name: 'Anna Gone',
    company_name: 'Bakery',
    phone: '+5511987650001',
  });
  await organization.post(`/leads/${other.id}/notes`, { text: 'A note.' });
  const key = { headers: { 'idempotency-key': randomUUID() } };
  const { status, body, headers } = await merge(organization, survivor.id, other.id, key);
  const after = { ...survivor, company_name: 'Bakery', updated_at: body.updated_at };
  expect([status, body, headers.get('etag')]).toEqual([200, after, '"2"']);
  expect(await organization.readAll('/leads?phone=%2B5511987650000')).toEqual([after]);
  expect(await organization.readAll('/leads?phone=%2B5511987650001')).toEqual([]);
  await expectFindable(organization);

  const repeated = await merge(organization, survivor.id, other.id, key);
  expect([repeated.text, repeated.headers.get('idempotency-replayed')]).toEqual([
    JSON.stringify(body),
    'true',
  ]);
  const again = await merge(organization, survivor.id, other.id);
  expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, after, '"2"']);

  const [merged] = await organization.readAll(`/leads/${survivor.id}/history`);
  expect(merged).toMatchObject({ type: 'lead.merged', version: 2, merged_from: other.id });
  const [deleted] = await organization.readAll(`/leads/${other.id}/history`);
  expect(deleted).toMatchObject({ type: 'lead.deleted', version: 2, merged_into: survivor.id });
  expect((await organization.get(`/leads/${other.id}/notes`)).body.items).toHaveLength(1);
});

test('a lead that was merged is 404 wherever it is named, with its last survivor', async () => {
  const organization = await provision();
  const [a, b, c] = await Promise.all([1, 2, 3].map(() => organization.lead({})));
  const note = await organization.post(`/leads/${a!.id}/notes`, { text: 'A note.' });
  expect((await merge(organization, b!.id, a!.id)).status).toBe(200);
  expect((await merge(organization, c!.id, b!.id)).status).toBe(200);
  const path = `/leads/${a!.id}`;
  const answers = await Promise.all([
    organization.get(path),
    organization.patch(path, { value_cents: 1 }),
    organization.delete(path),
    organization.post(`${path}/restore`, undefined),
    organization.post(`${path}/erase`, undefined),
    organization.post(`${path}/notes`, { text: 'Another.' }),
    organization.patch(`${path}/notes/${note.body.id}`, { text: 'Another.' }),
    organization.delete(`${path}/notes/${note.body.id}`),
    merge(organization, a!.id, c!.id),
  ]);
  const batch = await organization.patch('/leads/batch', {
    leads: [{ id: a!.id, patch: { value_cents: 1 } }],
  });
  const [part] = batch.body.items;
  const told = [...answers.map(({ status, body }) => ({ status, error: body.error })), part];
  const detail = { path: 'lead_id', message: `was merged into lead ${c!.id}`, lead_id: c!.id };
  for (const { status, error } of told) expect([status, error.details]).toEqual([404, [detail]]);
  const elsewhere = await merge(organization, (await organization.lead({})).id, a!.id);
  expect([elsewhere.status, elsewhere.body.error.details]).toEqual([
    404,
    [{ ...detail, path: 'from' }],
  ]);
  // Where it became part of it by another one, that was done before, too.
  expect((await merge(organization, c!.id, a!.id)).body.id).toBe(c!.id);
});

test('what can’t be merged is refused, and nothing is changed', async () => {
  const organization = await provision();
  const survivor = await organization.lead();
  const itself = await merge(organization, survivor.id, survivor.id);
  expect([itself.status, itself.body.error.details]).toEqual([
    400,
    [{ path: 'from', message: 'is the lead itself' }],
  ]);
  const nobody = await merge(organization, survivor.id, randomUUID());
  expect([nobody.status, nobody.body.error.details]).toEqual([
    404,
    [{ path: 'from', message: 'is not a lead of this organization' }],
  ]);

  const elsewhere = await organization.post('/pipelines', {
    name: 'Elsewhere',
    stages: [{ name: 'new', outcome: 'open' }],
  });
  const contact = { email: 'ana@example.com' };
  const third = await organization.lead(contact);
  const other = await organization.lead({ ...contact, pipeline_id: elsewhere.body.id });
  const taken = await merge(organization, survivor.id, other.id);
  expect([taken.status, taken.body.error.details[0]]).toMatchObject([
    409,
    { path: 'email', lead_id: third.id },
  ]);
  expect((await organization.get(`/leads/${survivor.id}`)).body).toEqual(survivor);
  expect((await organization.get(`/leads/${other.id}`)).body).toEqual(other);
  await expectFindable(organization);
});

test('merges that cross make one lead, and none is lost between merges and patches', async () => {
  const organization = await provision();
  for (let round = 0; round < 2; round++) {
    const [a, b, c] = await Promise.all(
      [1, 2, 3].map((n) => organization.lead({ tags: [`t${n}`], value_cents: n })),
    );
    const ids = [a!.id, b!.id, c!.id];
    const answers = await Promise.all([
      merge(organization, a!.id, b!.id),
      merge(organization, b!.id, a!.id),
      merge(organization, c!.id, a!.id),
      organization.patch(`/leads/${a!.id}`, { company_name: 'Patched' }),
      organization.patch(`/leads/${b!.id}`, { company_name: 'Patched' }),
    ]);
    for (const { status, text } of answers) expect([200, 404], text).toContain(status);
    const left = (await organization.readAll('/leads')).filter(({ id }) => ids.includes(id));
    const merges = answers.slice(0, 3).filter(({ status }) => status === 200).length;
    expect([merges > 0, left.length]).toEqual([true, 3 - merges]);
    expect(left.flatMap(({ tags }) => tags).sort()).toEqual(['t1', 't2', 't3']);
    if (answers.slice(3).some(({ status }) => status === 200)) {
      expect(left.map(({ company_name }) => company_name)).toContain('Patched');
    }
    await expectFindable(organization);
    const histories = await Promise.all(
      ids.map((id) => organization.readAll(`/leads/${id}/history`)),
    );
    for (const entries of histories) {
      expect(entries.map(({ version }) => version)).toEqual(
        entries.map((_, i) => entries.length - i),
      );
    }
    const { body } = await organization.get(`/pipelines/${organization.pipelineId}/summary`);
    const all = await organization.readAll('/leads');
    expect([body.leads, body.value_cents]).toEqual([
      all.length,
      all.reduce((sum, { value_cents }) => sum + value_cents, 0),
    ]);
  }
});
