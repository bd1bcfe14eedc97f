import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a month',
    request: () => ({ query: { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' } }),
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
];
