import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'a lead that was deleted',
    async request({ lead, call }) {
      const path = { lead_id: (await lead()).id };
      await call('deleteLead', { path });
      return { path };
    },
    docs: true,
    faults: true,
    costs: [9, 49, 3],
  },
  {
    name: 'a lead that is there',
    request: async ({ lead }) => ({ path: { lead_id: (await lead()).id } }),
    costs: [4, 6, 2],
  },
];
