import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a new pipeline',
    request: () => ({
      body: {
        name: 'Partners',
        stages: [
          { name: 'talking', outcome: 'open' },
          { name: 'signed', outcome: 'won' },
          { name: 'declined', outcome: 'lost' },
        ],
        default_stage: 'talking',
        unique_contact: ['email', 'phone'],
      },
    }),
    docs: true,
    faults: true,
  },
  {
    name: 'with a single stage',
    request: () => ({ body: { name: 'Events', stages: [{ name: 'new', outcome: 'open' }] } }),
    costs: [2, 8, 2],
  },
];
