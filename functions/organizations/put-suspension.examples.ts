import { randomUUID } from 'node:crypto';
import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'suspended',
    async request({ users, call }) {
      const organization_id = randomUUID();
      const body = { name: 'Ipê', members: [{ user_id: users.owner, role: 'owner' }] };
      await call('putOrganization', { path: { organization_id }, body });
      return { path: { organization_id }, body: { suspended: true } };
    },
    docs: true,
    faults: true,
    costs: [2, 8, 3],
  },
];
