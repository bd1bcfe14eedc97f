import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'of a lead',
    async request({ lead, call }) {
      const path = { lead_id: (await lead()).id };
      await call('createNote', { path, body: { text: 'Wants a call on Monday.' } });
      return { path };
    },
    docs: true,
    faults: true,
    costs: [4.5, 0, 2],
  },
];
