import type { Example } from '../../lib/operations/example.ts';

export const examples: Example[] = [
  {
    name: 'a note',
    request: async ({ lead }) => ({
      path: { lead_id: (await lead()).id },
      body: { text: 'Wants a call on Monday.' },
    }),
    docs: true,
    faults: true,
    costs: [1.5, 8, 2],
  },
];
