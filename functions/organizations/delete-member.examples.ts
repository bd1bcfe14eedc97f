import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a member is removed',
    request: async ({ member }) => ({ path: { user_id: await member() } }),
    docs: true,
    faults: true,
    costs: [5, 11, 2],
  },
  {
    name: 'the last owner stays',
    request: ({ users }) => ({ path: { user_id: users.owner } }),
    status: 409,
    docs: true,
  },
];
