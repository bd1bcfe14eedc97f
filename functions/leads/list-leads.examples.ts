import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'the newest two of a pipeline',
    request: ({ pipelineId }) => ({ query: { limit: '2', pipeline_id: pipelineId } }),
    docs: true,
  },
  { name: 'all', request: () => ({}), costs: [5, 0, 1] },
  { name: 'a lead a page', request: () => ({ query: { limit: '1' } }), faults: true },
  {
    name: 'of a pipeline',
    request: ({ pipelineId }) => ({ query: { pipeline_id: pipelineId } }),
    costs: [5, 0, 1],
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
    costs: [5, 0, 1],
  },
  {
    name: 'of a stage in every pipeline',
    request: () => ({ query: { stage: 'new' } }),
    costs: [6.5, 0, 2],
  },
  {
    name: 'of a stage in every pipeline, a lead a page',
    request: () => ({ query: { stage: 'new', limit: '1' } }),
    faults: true,
  },
  { name: 'of a tag', request: () => ({ query: { tag: 'inbound' } }), costs: [4.5, 0, 1] },
  {
    name: 'of a tag and an owner',
    request: ({ users }) => ({ query: { tag: 'inbound', owner_id: users.agent } }),
    costs: [7.5, 0, 1],
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
