import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'the secret before is good for a day',
    request: async ({ apiKey }) => ({ path: { key_id: (await apiKey()).id }, body: {} }),
    docs: true,
    faults: true,
    costs: [4, 10, 2],
  },
  {
    name: 'the secret before is refused at once',
    request: async ({ apiKey }) => ({
      path: { key_id: (await apiKey()).id },
      body: { previous_expires_in_seconds: 0 },
    }),
    faults: true,
  },
];
