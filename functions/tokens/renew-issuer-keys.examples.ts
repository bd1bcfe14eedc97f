import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  { name: 'a renewal', request: () => ({ body: {} }), faults: true, costs: [0, 2, 1] },
];
