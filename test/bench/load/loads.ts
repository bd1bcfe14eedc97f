import type autocannon from 'autocannon';
import type { Setting } from '../../cost/setting.ts';

type Request = autocannon.Request;

export interface Load {
  name: string;
  requests: Request[];
}

const requestsOf = ({ id, token, pipelineId, leadIds }: Setting) => {
  const headers = { authorization: `Bearer ${token}`, 'x-organization-id': id };
  const get = (path: string): Request => ({ method: 'GET', path: `/v1${path}`, headers });
  const create: Request = {
    method: 'POST',
    path: '/v1/leads',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      contact_name: 'Maria Silva',
      pipeline_id: pipelineId,
      // Each address is a new one.
      email: '[<id>]@example.com',
      tags: ['inbound'],
    }),
  };
  return { get, create, lead: get(`/leads/${leadIds[0]}`), list: get('/leads') };
};

/** Each call by itself, and a mixture of mostly reads. */
export const loadsOf = (setting: Setting): Load[] => {
  const { get, create, lead, list } = requestsOf(setting);
  const balance = get('/billing/balance');
  const ofPipeline = get(`/leads?pipeline_id=${setting.pipelineId}`);
  const summary = get(`/pipelines/${setting.pipelineId}/summary`);
  return [
    { name: 'createLead', requests: [create] },
    { name: 'getLead', requests: [lead] },
    { name: 'listLeads, 50', requests: [list] },
    { name: 'getBalance', requests: [balance] },
    {
      name: 'mixed',
      requests: [list, create, lead, ofPipeline, balance, lead, create, list, summary, lead],
    },
  ];
};
