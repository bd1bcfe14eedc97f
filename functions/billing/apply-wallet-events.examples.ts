import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a pack',
    request: ({ organizationId, unique }) => ({
      body: [
        {
          type: 'pack.purchased',
          detail: { event_id: unique(), organization_id: organizationId, stars: 500 },
        },
      ],
    }),
    costs: [2, 6, 2],
  },
  {
    name: 'a pack and a renewal',
    request: ({ organizationId, unique }) => ({
      body: [
        {
          type: 'pack.purchased',
          detail: { event_id: unique(), organization_id: organizationId, stars: 5 },
        },
        {
          type: 'subscription.renewed',
          detail: {
            event_id: unique(),
            organization_id: organizationId,
            monthly_grant_stars: 90,
            current_period_end: '2041-01-01T00:00:00Z',
          },
        },
      ],
    }),
    faults: true,
  },
];
