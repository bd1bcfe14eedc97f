import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'everything again',
    request: async ({ webhook }) => ({
      path: { webhook_id: (await webhook()).id },
      body: { after: 0 },
    }),
    docs: true,
    faults: true,
    costs: [4, 6, 2],
  },
];
