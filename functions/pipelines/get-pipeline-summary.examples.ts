import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'what each stage has',
    request: ({ pipelineId }) => ({ path: { pipeline_id: pipelineId } }),
    docs: true,
    faults: true,
    costs: [5, 0, 1],
  },
];
