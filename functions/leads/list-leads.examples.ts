import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'the newest two of a pipeline',
    request: ({ pipelineId }) => ({ query: { limit: '2', pipeline_id: pipelineId } }),
    docs: true,
  },
  { name: 'all', request: () => ({}), costs: [5.5, 0, 1] },
  { name: 'a lead a page', request: () => ({ query: { limit: '1' } }), faults: true },
  {
    name: 'of a pipeline',
    request: ({ pipelineId }) => ({ query: { pipeline_id: pipelineId } }),
    costs: [5.5, 0, 1],
  },
  {
    name: 'of a pipeline, a lead a page',
    request: ({ pipelineId }) => ({ query: { pipeline_id: pipelineId, limit: '1' } }),
    faults: true,
  },
  {
    name: 'of a pipeline, stage and owner',
    request: ({ pipelineId, users }) => ({
      query: { pipeline_id: pipelineId, stage: 'new', owner_id: users.agent },
    }),
    costs: [5.5, 0, 1],
  },
  {
    name: 'of a stage in every pipeline',
    request: () => ({ query: { stage: 'new' } }),
    costs: [7, 0, 3],
  },
  {
    name: 'of a stage in every pipeline, a lead a page',
    request: () => ({ query: { stage: 'new', limit: '1' } }),
    faults: true,
  },
  {
    name: 'the biggest open ones',
    async request({ call, pipelineId }) {
      for (const [contact_name, value_cents] of [
        ['Eva Lima', 8_000_000],
        ['Rui Costa', 9_500_000],
      ]) {
        await call('createLead', { body: { contact_name, value_cents, pipeline_id: pipelineId } });
      }
      return { query: { outcome: 'open', value_from: '5000000', sort: '-value_cents' } };
    },
    docs: true,
    faults: true,
  },
  {
    name: 'the biggest open ones of an owner',
    request: ({ users }) => ({
      query: { owner_id: users.agent, outcome: 'open', sort: '-value_cents', limit: '10' },
    }),
    costs: [12.5, 0, 3],
  },
  {
    name: 'what an owner has to do, the most urgent first',
    request: ({ users }) => ({
      query: {
        owner_id: users.agent,
        next_step_to: '2026-12-02T00:00:00Z',
        sort: 'next_step_at',
      },
    }),
    costs: [6, 0, 1],
  },
  {
    name: 'of a pipeline, unchanged since a day, the longest first',
    request: ({ pipelineId }) => ({
      query: { pipeline_id: pipelineId, updated_to: '2100-01-01T00:00:00Z', sort: 'updated_at' },
    }),
    costs: [6, 0, 1],
  },
  {
    name: 'of every pipeline by value, a lead a page',
    request: () => ({ query: { sort: '-value_cents', limit: '1' } }),
    faults: true,
    costs: [4, 0, 2],
  },
  { name: 'of a tag', request: () => ({ query: { tag: 'inbound' } }), costs: [5, 0, 1] },
  {
    name: 'of a tag and an owner',
    request: ({ users }) => ({ query: { tag: 'inbound', owner_id: users.agent } }),
    costs: [8, 0, 1],
  },
  {
    name: 'of two tags, a lead a page',
    request: () => ({ query: { tag: ['inbound', 'newsletter'], limit: '1' } }),
    faults: true,
  },
  {
    name: 'of a custom field',
    request: async ({ field }) => ({ query: { [`fields[${await field()}]`]: 'google' } }),
    docs: true,
    faults: true,
    costs: [3.5, 0, 1],
  },
  {
    name: 'of an email',
    request: async ({ lead }) => ({ query: { email: (await lead()).email ?? '' } }),
    docs: true,
    faults: true,
    costs: [10, 0, 3],
  },
  {
    name: 'of an email in a pipeline',
    request: async ({ lead }) => {
      const { email, pipeline_id } = await lead();
      return { query: { email: email ?? '', pipeline_id } };
    },
    costs: [5, 0, 2],
  },
  {
    name: 'of an external id',
    request: () => ({ query: { external_id: 'crm-1' } }),
    costs: [4, 0, 2],
  },
  {
    name: 'a cursor of another list',
    request: () => ({ query: { cursor: 'of-another-list' } }),
    status: 400,
    docs: true,
  },
];
