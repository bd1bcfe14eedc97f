import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'another role',
    request: async ({ apiKey }) => ({
      path: { key_id: (await apiKey()).id },
      body: { role: 'viewer' },
    }),
    docs: true,
    faults: true,
    costs: [4, 10, 2],
  },
  {
    name: 'an expiry, if nobody changed it since',
    request: async ({ apiKey }) => ({
      path: { key_id: (await apiKey()).id },
      headers: { 'if-match': '"1"' },
      body: { name: 'Old form', expires_at: '2049-12-31T23:00:00Z' },
    }),
    faults: true,
  },
];
