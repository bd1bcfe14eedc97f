import type { Example } from '../example.ts';

const maria = {
  contact_name: 'Maria Silva',
  company_name: 'Padaria Silva',
  phone: '+5511987654321',
  tags: ['inbound'],
  value_cents: 125_000,
};

export const examples: Example[] = [
  {
    name: 'a new lead',
    request: ({ pipelineId, unique }) => ({
      body: { ...maria, pipeline_id: pipelineId, email: `maria-${unique()}@padaria.example` },
    }),
    docs: true,
    faults: true,
  },
  {
    name: 'just a name',
    request: ({ pipelineId }) => ({ body: { contact_name: 'Rui Costa', pipeline_id: pipelineId } }),
    costs: [3, 15, 2],
  },
  {
    name: 'every field and two tags',
    request: ({ pipelineId, users, unique }) => ({
      body: {
        ...maria,
        pipeline_id: pipelineId,
        owner_id: users.agent,
        email: `maria-${unique()}@example.com`,
        tags: ['inbound', 'newsletter'],
        next_step_at: '2026-12-01T13:00:00Z',
        next_step: 'Call about the offer',
      },
    }),
    costs: [6, 43, 2],
    costsAgain: [6, 0, 2],
  },
  {
    name: 'with a custom field',
    request: async ({ pipelineId, field }) => ({
      body: {
        contact_name: 'Maria Silva',
        pipeline_id: pipelineId,
        fields: { [await field()]: 'google' },
      },
    }),
    docs: true,
    faults: true,
    costs: [4, 17, 2],
  },
  {
    name: 'a custom field has a value that is not one of its options',
    request: async ({ pipelineId, field }) => ({
      body: {
        contact_name: 'Maria Silva',
        pipeline_id: pipelineId,
        fields: { [await field()]: 'radio' },
      },
    }),
    status: 400,
    docs: true,
  },
  {
    name: 'the email is taken',
    request: async (setting) => ({
      body: {
        contact_name: 'Maria Silva',
        pipeline_id: setting.pipelineId,
        email: (await setting.lead()).email,
      },
    }),
    status: 409,
    docs: true,
  },
  {
    name: 'the key was used before',
    async request({ pipelineId, call }) {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const body = { contact_name: 'Maria Silva', pipeline_id: pipelineId };
      await call('createLead', { headers, body });
      return { headers, body: { ...body, contact_name: 'Mario Silva' } };
    },
    status: 409,
    docs: true,
  },
  {
    name: 'two fields are wrong',
    request: ({ pipelineId }) => ({
      body: { contact_name: ' ', pipeline_id: pipelineId, email: 'maria' },
    }),
    status: 400,
    docs: true,
  },
];
