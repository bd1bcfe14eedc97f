import type { Example } from '../../lib/operations/example.ts';

export const examples: Example[] = [
  { name: 'a look', request: () => ({ body: {} }), costs: [0.5, 0, 1] },
];
