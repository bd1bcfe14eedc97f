import type { Example } from '../example.ts';
import { limitedPath } from './put-spend-limit.examples.ts';

export const examples: Example[] = [
  {
    name: 'a few stars',
    request: ({ unique }) => ({
      path: { event_id: unique() },
      body: { stars: 5, reason: 'Enriched a lead', feature: 'enrich' },
    }),
    docs: true,
    costs: [4, 6, 2],
  },
  {
    name: 'of both kinds',
    request: ({ unique }) => ({ path: { event_id: unique() }, body: { stars: 30 } }),
    faults: true,
  },
  {
    name: 'more than there are',
    request: ({ unique }) => ({ path: { event_id: unique() }, body: { stars: 1_000_000_000 } }),
    status: 402,
    docs: true,
  },
  {
    name: 'within a limit',
    async request(setting) {
      const { name } = await limitedPath(setting);
      return {
        path: { event_id: setting.unique() },
        body: { stars: 5, feature: 'search', spender: name },
      };
    },
    docs: true,
    faults: true,
    costs: [7, 8, 3],
  },
];
