import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'a plan',
    request: ({ tier }) => ({
      body: {
        tier,
        name: 'Business',
        monthly_grant_stars: 500,
        price_cents: 19_900,
        currency: 'USD',
      },
    }),
    faults: true,
    costs: [1, 2, 2],
  },
];
