import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a lead with a note',
    async request({ lead, call }) {
      const path = { lead_id: (await lead()).id };
      await call('createNote', { path, body: { text: 'Wants a call on Monday.' } });
      return { path };
    },
    docs: true,
    faults: true,
    costs: [10, 57, 11],
  },
  {
    name: 'nothing is left',
    status: 204,
    async request({ lead, call }) {
      const path = { lead_id: (await lead()).id };
      await call('eraseLead', { path });
      return { path };
    },
    docs: true,
    costs: [7, 0, 4],
  },
];
