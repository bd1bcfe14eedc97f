import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'for a form',
    request: () => ({ body: { name: 'Website form', role: 'agent' } }),
    docs: true,
    faults: true,
    costs: [2, 14, 2],
  },
  {
    name: 'that expires',
    request: () => ({
      body: { name: 'Quarterly report', role: 'viewer', expires_at: '2049-12-31T20:00:00-03:00' },
    }),
    faults: true,
  },
];
