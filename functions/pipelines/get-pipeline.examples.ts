import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a pipeline',
    request: ({ pipelineId }) => ({ path: { pipeline_id: pipelineId } }),
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
];
