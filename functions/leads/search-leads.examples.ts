import type { Example, Setting } from '../example.ts';

/** Makes 13 leads of this name. A search for it costs the same, whatever other examples made. */
const thirteen = async ({ call, pipelineId }: Setting, contact_name: string): Promise<void> => {
  const lead = { contact_name, pipeline_id: pipelineId };
  await call('createLeads', { body: { leads: Array(13).fill(lead) } });
};

export const examples: Example[] = [
  {
    name: 'the beginnings of two words',
    request: async ({ lead }) => {
      await lead();
      return { query: { q: 'mar sil', limit: '2' } };
    },
    docs: true,
    faults: true,
  },
  {
    name: 'a word',
    request: async (setting) => {
      await thirteen(setting, 'Beatriz Lima');
      return { query: { q: 'beatriz' } };
    },
    costs: [17, 0, 3],
  },
  {
    name: 'two words and a pipeline',
    request: async (setting) => {
      await thirteen(setting, 'Camila Rocha');
      return { query: { q: 'camila rocha', pipeline_id: setting.pipelineId } };
    },
    costs: [19, 0, 3],
  },
  {
    name: 'a word that no lead has',
    request: () => ({ query: { q: 'nobody' } }),
    costs: [4, 0, 2],
  },
  { name: 'no word', request: () => ({ query: { q: '…' } }), status: 400, docs: true },
];
