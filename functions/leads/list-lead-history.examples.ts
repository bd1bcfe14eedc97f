import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'created, changed, deleted',
    async request({ lead, call }) {
      const path = { lead_id: (await lead()).id };
      await call('updateLead', { path, body: { stage: 'won' } });
      await call('deleteLead', { path });
      return { path, query: { limit: '10' } };
    },
    docs: true,
  },
  {
    name: 'an entry a page',
    async request({ lead, call }) {
      const path = { lead_id: (await lead()).id };
      await call('updateLead', { path, body: { value_cents: 1 } });
      return { path, query: { limit: '1' } };
    },
    faults: true,
  },
  {
    name: 'of a new lead',
    request: async ({ lead }) => ({ path: { lead_id: (await lead()).id } }),
    costs: [3.5, 0, 2],
  },
];
