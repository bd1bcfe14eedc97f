import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

const refused = async (organization: Organization, fields: object, path: string) => {
  const { body, text } = await organization.post('/leads', {
    contact_name: 'Maria Silva',
    pipeline_id: organization.pipelineId,
    ...fields,
  });
  expect([body.error?.code, text]).toEqual(['invalid_request', text]);
  expect(body.error.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
};

// Every limit of its fields is in test/unit/leads/lead-fields.test.ts.
describe('a lead comes back exactly as it was sent', () => {
  test('with every field', async () => {
    const organization = await provision();
    const sent = {
      contact_name: ' Zoë "Ω" \u{1F680}\n',
      pipeline_id: organization.pipelineId,
      company_name: 'Ação & Cia <script>',
      email: 'Zoe+crm@Example.com',
      phone: '+5511987654321',
      owner_id: organization.users.agent,
      tags: ['b', 'a', 'ção'],
      value_cents: Number.MAX_SAFE_INTEGER,
    };
    const before = Date.now();
    const { body } = await organization.post('/leads', sent);
    expect(body).toMatchObject({ ...sent, stage: 'new' });
    expect(body.updated_at).toBe(body.created_at);
    expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(body.created_at)).toBeLessThanOrEqual(Date.now());
    expect((await organization.get('/leads')).body.items).toEqual([body]);
  });

  test('with the required fields only, the others null or empty', async () => {
    const organization = await provision();
    const expected = {
      contact_name: 'Maria Silva',
      pipeline_id: organization.pipelineId,
      company_name: null,
      email: null,
      phone: null,
      owner_id: null,
      tags: [],
      value_cents: null,
    };
    const absent = await organization.lead();
    const nulls = await organization.lead({ ...expected, tags: null });
    for (const lead of [absent, nulls]) expect(lead).toMatchObject(expected);
  });

  test('ids in another case are the same ids', async () => {
    const organization = await provision();
    const lead = await organization.lead({
      pipeline_id: organization.pipelineId.toUpperCase(),
      owner_id: organization.users.agent.toUpperCase(),
    });
    expect(lead.pipeline_id).toBe(organization.pipelineId);
    expect(lead.owner_id).toBe(organization.users.agent);
  });

  test('it starts in the default stage of its pipeline', async () => {
    const stages = ['first', 'second'].map((name) => ({ name, outcome: 'open' }));
    const organization = await provision({
      pipelines: [{ name: 'Other', stages, default_stage: 'second' }],
    });
    expect((await organization.lead()).stage).toBe('second');
  });
});

test('every problem is named at once', async () => {
  const organization = await provision();
  const { body } = await organization.post('/leads', { email: 'x', tags: 1 });
  const paths = body.error.details.map((detail: { path: string }) => detail.path);
  expect(paths.sort()).toEqual(['contact_name', 'email', 'pipeline_id', 'tags']);
});

test('what a lead refers to must be of the organization', async () => {
  const [organization, other] = await Promise.all([provision(), provision()]);
  await organization.lead({ owner_id: organization.users.viewer });
  await refused(organization, { pipeline_id: other.pipelineId }, 'pipeline_id');
  await refused(organization, { pipeline_id: randomUUID() }, 'pipeline_id');
  await refused(organization, { owner_id: other.users.agent }, 'owner_id');
});

describe('a contact is in a pipeline once', () => {
  test('the same email in any case is a duplicate, and the lead that has it is named', async () => {
    const organization = await provision();
    const first = await organization.lead({ email: 'Maria@Example.com' });
    const { status, body } = await organization.post('/leads', {
      contact_name: 'Another',
      pipeline_id: organization.pipelineId,
      email: 'maria@example.COM',
    });
    expect([status, body.error.code]).toEqual([409, 'duplicate_lead']);
    expect(body.error.details).toMatchObject([{ path: 'email', lead_id: first.id }]);
    expect((await organization.get('/leads')).body.items).toEqual([first]);
  });

  test('another pipeline may have it too; phones are free unless the pipeline wants them unique', async () => {
    const stages = [{ name: 'new', outcome: 'open' }];
    const organization = await provision({
      pipelines: [
        { name: 'By email', stages },
        { name: 'By phone', stages, unique_contact: ['phone'] },
        { name: 'Free', stages, unique_contact: [] },
      ],
    });
    const [byEmail, byPhone, free] = organization.pipelines.map(({ id }) => id);
    const contact = { email: 'm@example.com', phone: '+5511987654321' };
    const post = async (pipeline_id: string | undefined, fields: object) => {
      const body = { contact_name: 'x', pipeline_id, ...fields };
      return (await organization.post('/leads', body)).status;
    };
    expect(await post(byEmail, contact)).toBe(201);
    expect(await post(byPhone, contact)).toBe(201);
    expect(await post(free, contact)).toBe(201);
    expect(await post(byEmail, { phone: contact.phone })).toBe(201);
    expect(await post(byEmail, { email: contact.email })).toBe(409);
    expect(await post(byPhone, { email: contact.email })).toBe(201);
    expect(await post(byPhone, { phone: contact.phone })).toBe(409);
    expect(await post(free, contact)).toBe(201);
  });
});
