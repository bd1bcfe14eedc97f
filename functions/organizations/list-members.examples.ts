import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'all members',
    request: () => ({ query: { limit: '10' } }),
    docs: true,
    costs: [3, 0, 1],
  },
  { name: 'a member a page', request: () => ({ query: { limit: '1' } }), faults: true },
];
