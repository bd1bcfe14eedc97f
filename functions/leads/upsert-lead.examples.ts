import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a new lead of another system',
    request: ({ pipelineId, unique }) => ({
      body: {
        match: 'external_id',
        lead: {
          external_id: `crm-${unique()}`,
          contact_name: 'Maria Silva',
          pipeline_id: pipelineId,
          email: `maria-${unique()}@padaria.example`,
        },
      },
    }),
    docs: true,
    faults: true,
  },
  {
    name: 'one whose email is there is changed',
    status: 200,
    request: async ({ lead }) => {
      const { email, pipeline_id } = await lead();
      const fields = { email, pipeline_id, company_name: 'Silva & Filhos', tags: ['vip'] };
      return { body: { match: 'email', lead: fields } };
    },
    docs: true,
    faults: true,
  },
  {
    name: 'there as it is sent',
    status: 200,
    request: async ({ lead }) => {
      const { email, pipeline_id } = await lead();
      return { body: { match: 'email', lead: { email, pipeline_id } } };
    },
    faults: true,
    costs: [5, 6, 3],
  },
  {
    name: 'an external id that is new',
    request: ({ pipelineId, unique }) => ({
      body: {
        match: 'external_id',
        lead: { external_id: unique(), contact_name: 'Rui', pipeline_id: pipelineId },
      },
    }),
    costs: [4, 15, 2],
  },
  {
    name: 'a value of one that is there',
    status: 200,
    request: async ({ lead }) => {
      const { email, pipeline_id } = await lead();
      return { body: { match: 'email', lead: { email, pipeline_id, value_cents: 7 } } };
    },
    costs: [5, 28, 3],
  },
  {
    name: 'a field that another lead has',
    request: async ({ lead, unique }) => {
      const { email, pipeline_id } = await lead();
      const fields = { external_id: unique(), contact_name: 'Maria', email, pipeline_id };
      return { body: { match: 'external_id', lead: fields } };
    },
    status: 409,
    docs: true,
  },
];
