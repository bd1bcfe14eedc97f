import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'all API keys',
    async request({ apiKey }) {
      await apiKey();
      return { query: { limit: '10' } };
    },
    docs: true,
    costs: [4, 0, 1],
  },
  {
    name: 'an API key a page',
    async request({ apiKey }) {
      await apiKey();
      await apiKey();
      return { query: { limit: '1' } };
    },
    faults: true,
  },
];
