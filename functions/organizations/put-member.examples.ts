import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'the role that a member has',
    request: ({ users }) => ({ path: { user_id: users.viewer }, body: { role: 'viewer' } }),
  },
  {
    name: 'a new agent',
    request: ({ newcomerId }) => ({ path: { user_id: newcomerId }, body: { role: 'agent' } }),
    docs: true,
    costs: [3, 11, 2],
  },
  {
    name: 'another owner',
    request: ({ newcomerId }) => ({ path: { user_id: newcomerId }, body: { role: 'owner' } }),
    faults: true,
  },
];
