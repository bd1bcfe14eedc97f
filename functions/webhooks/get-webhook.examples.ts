import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a webhook',
    request: async ({ webhook }) => ({ path: { webhook_id: (await webhook()).id } }),
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
];
