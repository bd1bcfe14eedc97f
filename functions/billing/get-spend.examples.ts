import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a spend',
    async request({ unique, call }) {
      const path = { event_id: unique() };
      await call('putSpend', { path, body: { stars: 5, feature: 'enrich' } });
      return { path };
    },
    docs: true,
    faults: true,
    costs: [3.5, 0, 2],
  },
];
