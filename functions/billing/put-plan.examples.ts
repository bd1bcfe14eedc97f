import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a plan',
    request: ({ tier }) => ({
      path: { tier },
      body: {
        name: 'Business',
        monthly_grant_stars: 500,
        price_cents: 19_900,
        currency: 'USD',
      },
    }),
    docs: true,
    faults: true,
    costs: [2, 2, 3],
  },
];
