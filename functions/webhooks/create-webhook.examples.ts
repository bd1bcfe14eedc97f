import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'for one type of change',
    request: () => ({
      body: {
        url: 'https://hooks.example.com/leads',
        types: ['stars.depleted'],
        description: 'Into the data warehouse',
      },
    }),
    docs: true,
    faults: true,
    costs: [3, 10, 2],
  },
  {
    name: 'from the beginning of the feed',
    request: () => ({
      body: { url: 'https://hooks.example.com/all', types: ['stars.depleted'], after: 0 },
    }),
    faults: true,
  },
  {
    name: 'an address that is not on the public internet',
    request: () => ({ body: { url: 'https://10.0.0.1/hooks' } }),
    status: 400,
    docs: true,
  },
];
