import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a lead',
    request: async ({ lead }) => ({ path: { lead_id: (await lead()).id } }),
    docs: true,
    faults: true,
    costs: [3, 0, 1],
  },
];
