import type { Example } from '../../lib/operations/example.ts';

export const examples: Example[] = [
  {
    name: 'the same person twice',
    async request({ lead, call, pipelineId, unique }) {
      const body = { contact_name: 'Ana', pipeline_id: pipelineId, external_id: unique() };
      const survivor = await call('createLead', { body: { ...body, tags: ['inbound'] } });
      const other = await lead();
      return { path: { lead_id: survivor.id }, body: { from: other.id } };
    },
    docs: true,
    faults: true,
    costs: [4, 72, 3],
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
