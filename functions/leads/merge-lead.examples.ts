import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'the same person twice',
    async request({ lead, call, pipelineId, unique }) {
      const named = { contact_name: 'Ana', pipeline_id: pipelineId, external_id: unique() };
      // Without a value of its own, the survivor would get the other lead's: one more counter to write, or none.
      const body = { ...named, tags: ['inbound'], value_cents: 98_000 };
      const survivor = await call('createLead', { body });
      const other = await lead();
      return { path: { lead_id: survivor.id }, body: { from: other.id } };
    },
    docs: true,
    faults: true,
    costs: [5, 89, 3],
  },
  {
    name: 'one that was merged before',
    async request({ lead, call, pipelineId }) {
      const path = { lead_id: (await lead()).id };
      const body = { contact_name: 'Ana', pipeline_id: pipelineId };
      const { id: from } = await call('createLead', { body });
      await call('mergeLead', { path, body: { from } });
      return { path, body: { from } };
    },
  },
];
