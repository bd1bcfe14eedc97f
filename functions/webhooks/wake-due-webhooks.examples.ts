import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  { name: 'a look', request: () => ({ body: {} }), faults: true, costs: [0.5, 0, 1] },
];
