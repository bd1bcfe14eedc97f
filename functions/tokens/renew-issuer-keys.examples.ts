import type { Example } from '../example.ts';

export const examples: Example[] = [
  { name: 'a renewal', request: () => ({ body: {} }), faults: true, costs: [0, 2, 1] },
];
