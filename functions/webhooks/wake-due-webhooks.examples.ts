import type { Example } from '../example.ts';

export const examples: Example[] = [
  { name: 'a look', request: () => ({ body: {} }), faults: true, costs: [0.5, 0, 1] },
];
