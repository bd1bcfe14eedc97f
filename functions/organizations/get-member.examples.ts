import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'an agent',
    request: async ({ member }) => ({ path: { user_id: await member() } }),
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
  {
    name: 'not a member',
    request: ({ newcomerId }) => ({ path: { user_id: newcomerId } }),
    status: 404,
    docs: true,
  },
];
