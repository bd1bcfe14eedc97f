import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a lead is deleted',
    request: async ({ lead }) => ({ path: { lead_id: (await lead()).id } }),
    docs: true,
    faults: true,
    costs: [3, 49, 2],
  },
  {
    name: 'with If-Match',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      headers: { 'if-match': '"1"' },
    }),
    faults: true,
  },
];
