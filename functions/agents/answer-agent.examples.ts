import type { Example, Setting } from '../example.ts';

/** A call of a tool, as clients send it that begin with a session. */
const call = (name: string, given: object = {}) => ({
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
});

const leadOf = async (setting: Setting) => ({ lead_id: (await setting.lead()).id });

export const examples: Example[] = [
  { name: 'the balance', request: () => call('balance'), costs: [3, 0, 1] },
  {
    name: 'a lead with its notes',
    request: async (setting) => call('get_lead', await leadOf(setting)),
    costs: [10.5, 0, 3],
  },
  {
    name: 'a new lead by its external id',
    request: ({ pipelineId, unique }) =>
      call('save_lead', {
        match: 'external_id',
        external_id: unique(),
        contact_name: 'Rui',
        pipeline_id: pipelineId,
      }),
    costs: [4, 13, 2],
    faults: true,
  },
  {
    name: 'a note',
    request: async (setting) => call('add_note', { ...(await leadOf(setting)), text: 'Called.' }),
    costs: [2, 8, 2],
    faults: true,
  },
  {
    name: 'a few stars',
    request: ({ unique }) => call('spend_stars', { job: unique(), stars: 1 }),
    costs: [4, 6, 2],
    faults: true,
  },
  { name: 'who calls', request: () => call('whoami') },
];
