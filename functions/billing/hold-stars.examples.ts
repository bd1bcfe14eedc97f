import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'for a job',
    request: ({ organizationId, unique }) => ({
      body: {
        organization_id: organizationId,
        hold_id: unique(),
        stars: 5,
        expires_in_seconds: 600,
        reason: 'Summarizes a call',
      },
    }),
    costs: [2, 8, 2],
  },
  {
    name: 'of both kinds',
    request: ({ organizationId, unique }) => ({
      body: {
        organization_id: organizationId,
        hold_id: unique(),
        stars: 30,
        expires_in_seconds: 600,
      },
    }),
    faults: true,
  },
];
