import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'one is right, one wrong',
    request: ({ pipelineId }) => ({
      body: {
        leads: [
          { contact_name: 'Maria Silva', pipeline_id: pipelineId },
          { contact_name: 'João Souza', pipeline_id: pipelineId, email: 'not an address' },
        ],
      },
    }),
  },
  {
    name: 'one is made, one refused',
    request: async ({ pipelineId: pipeline_id, lead }) => ({
      body: {
        leads: [
          { contact_name: 'João Costa', pipeline_id },
          { contact_name: 'Ana Souza', pipeline_id, email: (await lead()).email },
        ],
      },
    }),
    docs: true,
  },
  {
    name: 'a taken contact, one that is made, and one that is wrong',
    request: async ({ pipelineId: pipeline_id, lead }) => ({
      body: {
        leads: [
          { contact_name: 'Eva', pipeline_id, email: (await lead()).email },
          { contact_name: 'Ivo', pipeline_id, value_cents: 7, tags: ['inbound'] },
          { contact_name: '' },
        ],
      },
    }),
    faults: true,
  },
  {
    name: 'upserts: one is changed, one made, one refused',
    request: async ({ pipelineId: pipeline_id, lead, unique }) => {
      const { email } = await lead();
      return {
        body: {
          match: 'email',
          leads: [
            { email, pipeline_id, company_name: 'Silva & Filhos' },
            { contact_name: 'Ivo', email: `ivo-${unique()}@example.com`, pipeline_id },
            { contact_name: 'Eva', pipeline_id },
          ],
        },
      };
    },
    docs: true,
  },
  {
    name: 'ten with email and owner',
    request: ({ pipelineId, users, unique }) => ({
      body: {
        leads: Array.from({ length: 10 }, (_, n) => ({
          contact_name: 'Maria Silva',
          pipeline_id: pipelineId,
          email: `maria-${unique()}@example.com`,
          phone: `+55119876543${10 + n}`,
          owner_id: users.agent,
        })),
      },
    }),
    costs: [24, 333, 4],
  },
];
