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

describe('every limit, on both sides', () => {
  const astral = '\u{1F680}';
  const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag ${i}`);
  const longEmail = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`;

  test.each([
    ['contact_name', 'x'],
    ['contact_name', 'x'.repeat(200)],
    ['contact_name', astral.repeat(200)],
    ['company_name', astral.repeat(200)],
    ['email', longEmail(254)],
    ['email', 'o.brien+tag@mail.example.co'],
    ['phone', '+1234567'],
    ['phone', '+123456789012345'],
    ['tags', tags(20)],
    ['tags', [astral.repeat(50)]],
    ['value_cents', 0],
    ['value_cents', Number.MAX_SAFE_INTEGER],
  ])('%s takes %j', async (field, value) => {
    const organization = await provision();
    expect((await organization.lead({ [field]: value }))[field]).toEqual(value);
  });

  test.each([
    ['contact_name', ''],
    ['contact_name', ' \t\n'],
    ['contact_name', 'x'.repeat(201)],
    ['contact_name', astral.repeat(201)],
    ['contact_name', '\ud800'],
    ['contact_name', null],
    ['contact_name', 5],
    ['company_name', 'x'.repeat(201)],
    ['company_name', '\udc00 Ltd'],
    ['email', 'maria'],
    ['email', 'maria@example'],
    ['email', 'maria silva@example.com'],
    ['email', longEmail(255)],
    ['phone', '5511987654321'],
    ['phone', '+55 11 98765-4321'],
    ['phone', '+123456'],
    ['phone', '+1234567890123456'],
    ['phone', '+0123456789'],
    ['pipeline_id', 'sales'],
    ['pipeline_id', null],
    ['owner_id', 'me'],
    ['tags', tags(21)],
    ['tags', 'hot'],
    ['tags', ['a', 'b', 'a']],
    ['value_cents', -1],
    ['value_cents', 1.5],
    ['value_cents', '100'],
    ['value_cents', Number.MAX_SAFE_INTEGER + 1],
  ])('%s refuses %j', async (field, value) => {
    await refused(await provision(), { [field]: value }, field);
  });

  test.each([[['']], [['x'.repeat(51)]], [[1]]])('tags refuse %j', async (value) => {
    await refused(await provision(), { tags: value }, 'tags.0');
  });

  test('every problem is named at once', async () => {
    const organization = await provision();
    const { body } = await organization.post('/leads', { email: 'x', tags: 1 });
    const paths = body.error.details.map((detail: { path: string }) => detail.path);
    expect(paths.sort()).toEqual(['contact_name', 'email', 'pipeline_id', 'tags']);
  });
});

describe('a body is taken without loss or not at all', () => {
  const post = async (organization: Organization, value: string) =>
    organization.post(
      '/leads',
      `{"contact_name":"x","pipeline_id":"${organization.pipelineId}","value_cents":${value}}`,
    );

  test.each([
    ['100.0', 100],
    ['1e2', 100],
    ['12345e-0', 12345],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740991.0', Number.MAX_SAFE_INTEGER],
  ])('the number %s is kept', async (written, value) => {
    expect((await post(await provision(), written)).body.value_cents).toBe(value);
  });

  test.each([
    ['9007199254740991.4', Number.MAX_SAFE_INTEGER],
    ['100.00000000000000000001', 100],
    ['1e-400', 0],
  ])('the number %s is kept as JSON reads it', async (written, value) => {
    expect((await post(await provision(), written)).body.value_cents).toBe(value);
  });

  test.each(['9007199254740992', '9007199254740993', '1e400'])(
    'the number %s is refused',
    async (written) => {
      expect((await post(await provision(), written)).body.error.code).toBe('invalid_request');
    },
  );

  test('bytes that are not UTF-8 are refused', async () => {
    const organization = await provision();
    const { call } = await import('../../support/api.ts');
    const bytes = (name: number[]) =>
      new Uint8Array([
        ...Buffer.from(`{"pipeline_id":"${organization.pipelineId}","contact_name":"`),
        ...name,
        ...Buffer.from('"}'),
      ]);
    const headers = { ...organization.headers(), 'content-type': 'application/json' };
    const good = await call('POST', '/leads', { headers, body: bytes([0xc3, 0xa9]) });
    expect(good.body.contact_name).toBe('é');
    const bad = await call('POST', '/leads', { headers, body: bytes([0xc3, 0x28]) });
    expect(bad.body.error.code).toBe('invalid_request');
  });

  test.each([
    ['application/json; charset=utf-8', 201],
    ['application/json;charset="UTF-8"', 201],
    ['application/json; charset=latin1', 415],
    ['text/json', 415],
  ])('%s gives %i', async (type, status) => {
    const organization = await provision();
    const body = { contact_name: 'x', pipeline_id: organization.pipelineId };
    const answer = await organization.post('/leads', body, { headers: { 'content-type': type } });
    expect(answer.status).toBe(status);
  });
});

describe('what a lead refers to must be of the organization', () => {
  test('a pipeline of another organization, or of none', async () => {
    const [organization, other] = await Promise.all([provision(), provision()]);
    await organization.lead();
    await refused(organization, { pipeline_id: other.pipelineId }, 'pipeline_id');
    await refused(organization, { pipeline_id: randomUUID() }, 'pipeline_id');
  });

  test('an owner who is not a member', async () => {
    const [organization, other] = await Promise.all([provision(), provision()]);
    await organization.lead({ owner_id: organization.users.viewer });
    await refused(organization, { owner_id: other.users.agent }, 'owner_id');
  });
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
