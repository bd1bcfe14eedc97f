import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'a few',
    request: ({ organizationId, unique }) => ({
      body: {
        organization_id: organizationId,
        event_id: unique(),
        stars: 5,
        reason: 'Enriched a lead',
      },
    }),
    costs: [2, 6, 2],
  },
  {
    name: 'of both kinds',
    request: ({ organizationId, unique }) => ({
      body: { organization_id: organizationId, event_id: unique(), stars: 30 },
    }),
    faults: true,
  },
];
