import type { Example } from '../example.ts';

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
    name: 'a year of a subscription',
    request: ({ unique }) => ({
      path: { event_id: unique() },
      body: {
        type: 'subscription.paid',
        lines: [
          {
            from: '2040-01-01T00:00:00Z',
            until: '2041-01-01T00:00:00Z',
            monthly_grant_stars: 90,
            tier: 'pro',
          },
        ],
        amount: 9900,
      },
    }),
    docs: true,
  },
  {
    name: 'a purchase that is paid back',
    async request({ unique, call }) {
      const purchase = unique();
      const bought = { type: 'pack.purchased', stars: 500 };
      await call('putEvent', { path: { event_id: purchase }, body: bought });
      return {
        path: { event_id: unique() },
        body: {
          type: 'pack.reversed',
          purchase,
          source: 're_1',
          stars: 200,
          occurred_at: '2026-11-21T00:00:00Z',
        },
      };
    },
    docs: true,
    faults: true,
    costs: [6, 8, 2],
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
