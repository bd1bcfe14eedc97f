import type { Example } from '../../lib/operations/example.ts';

export const examples: Example[] = [
  {
    name: 'the beginnings of two words',
    request: async ({ lead }) => {
      await lead();
      return { query: { q: 'mar sil', limit: '2' } };
    },
    docs: true,
    faults: true,
  },
  { name: 'a word', request: () => ({ query: { q: 'maria' } }), costs: [18, 0, 3] },
  {
    name: 'two words and a pipeline',
    request: ({ pipelineId }) => ({ query: { q: 'maria silva', pipeline_id: pipelineId } }),
    costs: [20, 0, 3],
  },
  {
    name: 'a word that no lead has',
    request: () => ({ query: { q: 'nobody' } }),
    costs: [5, 0, 2],
  },
  { name: 'no word', request: () => ({ query: { q: '…' } }), status: 400, docs: true },
];
