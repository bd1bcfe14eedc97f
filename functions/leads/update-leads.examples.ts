import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'one is changed, one has changed since it was read',
    request: async ({ lead }) => ({
      body: {
        leads: [
          { id: (await lead()).id, patch: { stage: 'won', tags: ['vip'] } },
          { id: (await lead()).id, patch: { value_cents: 98_000 }, if_match: '"7"' },
        ],
      },
    }),
    docs: true,
  },
  {
    name: 'a stage and an email, a lead that there is not, and one that stays',
    request: async ({ lead, call, pipelineId, unique, newcomerId }) => {
      const one = await lead();
      const named = { contact_name: 'Rui', pipeline_id: pipelineId };
      const other = await call('createLead', { body: named });
      const email = `ana-${unique()}@example.org`;
      return {
        body: {
          leads: [
            { id: one.id, patch: { stage: 'won', email } },
            { id: newcomerId, patch: { value_cents: 7 } },
            { id: other.id, patch: { stage: other.stage }, if_match: '"1"' },
          ],
        },
      };
    },
    faults: true,
  },
  {
    name: 'a value of ten',
    request: async ({ lead }) => {
      const leads = [];
      for (let n = 0; n < 10; n++) leads.push({ id: (await lead()).id, patch: { value_cents: n } });
      return { body: { leads } };
    },
    costs: [12, 283, 4],
  },
];
