import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'of one that came twice',
    async request({ call, pipelineId, unique }) {
      const email = `${unique()}@example.com`;
      const lead = { contact_name: 'Otávio Prado', pipeline_id: pipelineId, phone: null };
      const { id } = await call('createLead', { body: { ...lead, email } });
      await call('createLead', { body: { ...lead, company_name: 'Prado & Filhos' } });
      return { path: { lead_id: id } };
    },
    docs: true,
    faults: true,
    costs: [17, 0, 4],
  },
];
