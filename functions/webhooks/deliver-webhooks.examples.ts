import type { Example } from '../../lib/operations/example.ts';

export const examples: Example[] = [
  {
    name: 'a wake of an organization',
    request: ({ organizationId }) => ({ body: { organization_id: organizationId } }),
    costs: [1, 0, 1],
  },
];
