import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  { name: 'a look', request: () => ({ body: {} }), faults: true, costs: [1, 0, 1] },
];
