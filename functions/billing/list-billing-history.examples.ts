import type { Example } from '../../tools/examples/example.ts';

export const examples: Example[] = [
  {
    name: 'how it began',
    request: () => ({ query: { limit: '10' } }),
    docs: true,
    costs: [3, 0, 1],
  },
  {
    name: 'an entry a page',
    async request({ organizationId, unique, call }) {
      const body = { organization_id: organizationId, event_id: unique(), stars: 1 };
      await call('spendStars', { body });
      return { query: { limit: '1' } };
    },
    faults: true,
  },
];
