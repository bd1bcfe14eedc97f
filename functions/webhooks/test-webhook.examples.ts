import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a test message',
    request: async ({ webhook }) => ({ path: { webhook_id: (await webhook()).id } }),
    docs: true,
    faults: true,
    costs: [3, 6, 2],
  },
];
