import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'how it began',
    request: () => ({ query: { limit: '10' } }),
    docs: true,
    costs: [4.5, 0, 2],
  },
  {
    name: 'what was spent for a feature in a time',
    request: () => ({
      query: {
        from: '2026-01-01T00:00:00Z',
        to: '2100-01-01T00:00:00Z',
        type: 'stars.spent',
        feature: 'enrich',
      },
    }),
    docs: true,
  },
  {
    name: 'an entry a page',
    async request({ unique, call }) {
      await call('putSpend', { path: { event_id: unique() }, body: { stars: 1 } });
      return { query: { limit: '1' } };
    },
    faults: true,
  },
];
