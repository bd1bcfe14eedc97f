import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a note',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      body: { text: 'Wants a call on Monday.' },
    }),
    docs: true,
    faults: true,
    costs: [2, 8, 2],
  },
];
