import type { Example } from '../example.ts';

export const examples: Example[] = [
  { name: 'all pipelines', request: () => ({}), docs: true, faults: true, costs: [3, 0, 1] },
];
