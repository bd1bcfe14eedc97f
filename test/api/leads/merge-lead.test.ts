import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFindable } from '../../support/lookups.ts';
import { type Organization, provision } from '../../support/organization.ts';

const merge = (organization: Organization, id: string, from: string, options = {}) =>
  organization.post(`/leads/${id}/merge`, { from }, options);

// Of any leads, what the survivor has then in lists, counts, search, history and the feed: any-sequence.test.ts.
test('a merge is done once, with a key and without, and leaves the other lead its notes', async () => {
  const organization = await provision();
  const survivor = await organization.lead({ phone: '+5511987650000' });
  const other = await organization.lead({ company_name: 'Bakery', phone: '+5511987650001' });
  await organization.post(`/leads/${other.id}/notes`, { text: 'A note.' });
  const key = { headers: { 'idempotency-key': randomUUID() } };
  const { status, body, headers } = await merge(organization, survivor.id, other.id, key);
  const after = { ...survivor, company_name: 'Bakery', updated_at: body.updated_at };
  expect([status, body, headers.get('etag')]).toEqual([200, after, '"2"']);
  expect(await organization.readAll('/leads')).toEqual([after]);
  await expectFindable(organization);

  const repeated = await merge(organization, survivor.id, other.id, key);
  expect(repeated.text).toBe(JSON.stringify(body));
  expect(repeated.headers.get('idempotency-replayed')).toBe('true');
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
  const [a, b, c] = [1, 2, 3].map(() => organization.lead().then(({ id }) => id as string));
  const [gone, between, survivor] = [await a!, await b!, await c!];
  const path = `/leads/${gone}`;
  const note = await organization.post(`${path}/notes`, { text: 'A note.' });
  expect((await merge(organization, between, gone)).status).toBe(200);
  expect((await merge(organization, survivor, between)).status).toBe(200);
  const answers = await Promise.all([
    organization.get(path),
    organization.patch(path, { value_cents: 1 }),
    organization.delete(path),
    organization.post(`${path}/restore`, undefined),
    organization.post(`${path}/erase`, undefined),
    organization.post(`${path}/notes`, { text: 'Another.' }),
    organization.patch(`${path}/notes/${note.body.id}`, { text: 'Another.' }),
    organization.delete(`${path}/notes/${note.body.id}`),
    merge(organization, gone, survivor),
  ]);
  const leads = [{ id: gone, patch: { value_cents: 1 } }];
  const batch = await organization.patch('/leads/batch', { leads });
  const told = [...answers.map(({ body }) => body), ...batch.body.items];
  const detail = {
    path: 'lead_id',
    message: `was merged into lead ${survivor}`,
    lead_id: survivor,
  };
  for (const { error } of told) {
    expect([error.code, error.details]).toEqual(['not_found', [detail]]);
  }
  const elsewhere = await merge(organization, (await organization.lead()).id, gone);
  expect(elsewhere.status).toBe(404);
  expect(elsewhere.body.error.details).toEqual([{ ...detail, path: 'from' }]);
  // Where it became part of it by another one, that was done before, too.
  expect((await merge(organization, survivor, gone)).body.id).toBe(survivor);
});

test('what can’t be merged is refused, and nothing is changed', async () => {
  const organization = await provision();
  const survivor = await organization.lead();
  const stages = [{ name: 'new', outcome: 'open' }];
  const { body: elsewhere } = await organization.post('/pipelines', { name: 'Elsewhere', stages });
  const contact = { email: 'ana@example.com' };
  const third = await organization.lead(contact);
  const other = await organization.lead({ ...contact, pipeline_id: elsewhere.id });
  const refused: [from: string, status: number, detail: object][] = [
    [survivor.id, 400, { path: 'from', message: 'is the lead itself' }],
    [randomUUID(), 404, { path: 'from', message: 'is not a lead of this organization' }],
    [other.id, 409, { path: 'email', lead_id: third.id }],
  ];
  for (const [from, status, detail] of refused) {
    const answer = await merge(organization, survivor.id, from);
    expect([answer.status, answer.body.error.details]).toMatchObject([status, [detail]]);
  }
  expect(await organization.readAll('/leads')).toEqual([other, third, survivor]);
  await expectFindable(organization);
});

test('merges that cross make one lead, and none is lost between merges and patches', async () => {
  const organization = await provision();
  const tags = ['t0', 't1', 't2'];
  for (let round = 0; round < 2; round++) {
    const made = tags.map((tag, n) => organization.lead({ tags: [tag], value_cents: n }));
    const ids: string[] = (await Promise.all(made)).map(({ id }) => id);
    const [a, b, c] = ids as [string, string, string];
    const company_name = 'Patched';
    const answers = await Promise.all([
      merge(organization, a, b),
      merge(organization, b, a),
      merge(organization, c, a),
      organization.patch(`/leads/${a}`, { company_name }),
      organization.patch(`/leads/${b}`, { company_name }),
    ]);
    for (const { status, text } of answers) expect([200, 404], text).toContain(status);
    const all = await organization.readAll('/leads');
    const left = all.filter(({ id }) => ids.includes(id));
    const merges = answers.slice(0, 3).filter(({ status }) => status === 200).length;
    expect([merges > 0, left.length]).toEqual([true, 3 - merges]);
    expect(left.flatMap((lead) => lead.tags).sort()).toEqual(tags);
    if (answers.slice(3).some(({ status }) => status === 200)) {
      expect(left.map((lead) => lead.company_name)).toContain(company_name);
    }
    await expectFindable(organization);
    for (const id of ids) {
      const entries = await organization.readAll(`/leads/${id}/history`);
      const versions = entries.map(({ version }) => version);
      expect(versions).toEqual(entries.map((_, i) => entries.length - i));
    }
    const { body } = await organization.get(`/pipelines/${organization.pipelineId}/summary`);
    const value_cents = all.reduce((sum, lead) => sum + lead.value_cents, 0);
    expect(body).toMatchObject({ leads: all.length, value_cents });
  }
});
