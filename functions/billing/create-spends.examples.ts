import type { Example } from '../example.ts';
import { limitedPath } from './put-spend-limit.examples.ts';

export const examples: Example[] = [
  {
    name: 'one is made, one refused',
    request: ({ unique }) => ({
      body: {
        spends: [
          { event_id: unique(), stars: 5, feature: 'enrich' },
          { event_id: unique(), stars: 1_000_000_000 },
        ],
      },
    }),
    docs: true,
    faults: true,
  },
  {
    name: 'that cross a limit',
    async request(setting) {
      const { name: spender } = await limitedPath(setting, 25);
      const spends = [10, 20, 15].map((stars) => ({ event_id: setting.unique(), stars, spender }));
      return { body: { spends } };
    },
    faults: true,
  },
  {
    name: '25 at once',
    request: ({ unique }) => ({
      body: { spends: Array.from({ length: 25 }, () => ({ event_id: unique(), stars: 1 })) },
    }),
    costs: [28, 102, 2],
  },
];
