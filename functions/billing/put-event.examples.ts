import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'a pack',
    request: ({ unique }) => ({
      path: { event_id: unique() },
      body: { type: 'pack.purchased', stars: 500 },
    }),
    docs: true,
    costs: [5, 6, 2],
  },
  {
    name: 'a renewal',
    request: ({ unique }) => ({
      path: { event_id: unique() },
      body: {
        type: 'subscription.renewed',
        monthly_grant_stars: 90,
        current_period_end: '2041-01-01T00:00:00Z',
      },
    }),
    docs: true,
  },
  {
    name: 'a refund',
    async request({ unique, call }) {
      const refunds = unique();
      await call('putSpend', { path: { event_id: refunds }, body: { stars: 5 } });
      return {
        path: { event_id: unique() },
        body: { type: 'stars.refunded', refunds, stars: 2, reason: 'The lead was known' },
      };
    },
    docs: true,
    faults: true,
  },
];
