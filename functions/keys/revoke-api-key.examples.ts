import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'an API key is revoked',
    request: async ({ apiKey }) => ({ path: { key_id: (await apiKey()).id } }),
    docs: true,
    faults: true,
    costs: [4, 12, 2],
  },
];
