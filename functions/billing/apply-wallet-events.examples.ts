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
    name: 'a pack and a month of a subscription',
    request: ({ organizationId, unique }) => ({
      body: [
        {
          type: 'pack.purchased',
          detail: { event_id: unique(), organization_id: organizationId, stars: 5 },
        },
        {
          type: 'subscription.paid',
          detail: {
            event_id: unique(),
            organization_id: organizationId,
            lines: [
              {
                from: '2040-12-01T00:00:00Z',
                until: '2041-01-01T00:00:00Z',
                monthly_grant_stars: 90,
                tier: 'pro',
              },
            ],
          },
        },
      ],
    }),
    faults: true,
  },
];
