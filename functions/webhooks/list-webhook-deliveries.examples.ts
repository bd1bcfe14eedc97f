import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'its attempts',
    request: async ({ webhook }) => ({ path: { webhook_id: (await webhook()).id } }),
    docs: true,
    faults: true,
    costs: [4, 0, 1],
  },
];
