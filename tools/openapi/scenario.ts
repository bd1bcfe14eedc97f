import type { DemoOrganization } from '../demo/organization.ts';
import type { Exchange } from './examples.ts';
import { Recorder } from './record.ts';

const keys = {
  create: 'f1a2c4d8-3b5e-4f60-8a7b-9c0d1e2f3a4b',
  update: '0b9d6c1e-7f24-4c8a-9e3d-5a6b7c8d9e0f',
};
const newcomer = '6d1f2b3a-8c4e-4d5f-9a0b-1c2d3e4f5a6b';
const maria = {
  contact_name: 'Maria Silva',
  email: 'maria@example.com',
  phone: '+5511987654321',
  tags: ['inbound'],
  value_cents: 125_000,
};

/** Uses each operation of a running service as a client does; returns what was said. */
export const recordExamples = async (
  baseUrl: string,
  organization: DemoOrganization,
  outsiderToken: string,
): Promise<Exchange[]> => {
  const recorder = new Recorder(baseUrl, organization);
  await pipelines(recorder, organization);
  await leads(recorder, organization);
  await members(recorder, organization);
  await billing(recorder);
  await refusals(recorder, organization, outsiderToken);
  return recorder.exchanges();
};

const pipelines = async (recorder: Recorder, { pipeline_id }: DemoOrganization) => {
  const one = '/pipelines/{pipeline_id}';
  await recorder.call(200, 'listPipelines', ['GET', '/pipelines'], 'All pipelines');
  const { etag } = await recorder.call(
    200,
    'getPipeline',
    ['GET', one, { pipeline_id }],
    'A pipeline',
  );
  const body = {
    name: 'Partners',
    stages: [
      { name: 'talking', outcome: 'open' },
      { name: 'signed', outcome: 'won' },
      { name: 'declined', outcome: 'lost' },
    ],
    unique_contact: ['email', 'phone'],
  };
  await recorder.call(201, 'createPipeline', ['POST', '/pipelines'], 'A new pipeline', {
    body,
    headers: { 'idempotency-key': keys.create },
  });
  await recorder.call(
    200,
    'updatePipeline',
    ['PATCH', one, { pipeline_id }],
    'Another name, if nobody changed it since',
    { body: { name: 'New business' }, headers: { 'if-match': etag } },
  );
  await recorder.call(
    409,
    'updatePipeline',
    ['PATCH', one, { pipeline_id }],
    'A stage that has leads is left out',
    {
      body: {
        stages: [{ name: 'open', outcome: 'open' }],
        default_stage: 'open',
      },
    },
  );
};

const leads = async (recorder: Recorder, { pipeline_id, users }: DemoOrganization) => {
  const one = '/leads/{lead_id}';
  const body = { ...maria, pipeline_id };
  const headers = { 'idempotency-key': keys.create };
  const { body: lead, etag } = await recorder.call(
    201,
    'createLead',
    ['POST', '/leads'],
    'A new lead',
    { body, headers },
  );
  const path = { lead_id: lead.id as string };
  await recorder.call(409, 'createLead', ['POST', '/leads'], 'The email is taken', { body });
  await recorder.call(409, 'createLead', ['POST', '/leads'], 'The key was used before', {
    body: { ...body, contact_name: 'Mario Silva' },
    headers,
  });
  await recorder.call(400, 'createLead', ['POST', '/leads'], 'Two fields are wrong', {
    body: { ...body, contact_name: ' ', email: 'maria' },
  });
  await recorder.call(200, 'createLeads', ['POST', '/leads/batch'], 'One is made, one refused', {
    body: { leads: [{ contact_name: 'João Costa', pipeline_id }, body] },
    headers: { 'idempotency-key': keys.update },
  });
  await recorder.call(200, 'getLead', ['GET', one, path], 'A lead');
  await recorder.call(200, 'updateLead', ['PATCH', one, path], 'Won, and who won it', {
    body: { stage: 'won', owner_id: users.agent, company_name: 'Silva & Filhos' },
    headers: { 'if-match': etag, 'idempotency-key': keys.update },
  });
  await recorder.call(412, '', ['PATCH', one, path], 'It has changed since it was read', {
    body: { stage: 'lost' },
    headers: { 'if-match': etag },
  });
  await recorder.call(200, 'listLeads', ['GET', '/leads'], 'The newest two of a pipeline', {
    query: { pipeline_id, limit: '2' },
  });
  await recorder.call(400, 'listLeads', ['GET', '/leads'], 'A cursor of another list', {
    query: { cursor: 'of-another-list' },
  });
  const summary = '/pipelines/{pipeline_id}/summary';
  await recorder.call(
    200,
    'getPipelineSummary',
    ['GET', summary, { pipeline_id }],
    'What each stage has',
  );
  await recorder.call(204, 'deleteLead', ['DELETE', one, path], 'Deleted');
  await recorder.call(
    200,
    'listLeadHistory',
    ['GET', `${one}/history`, path],
    'Created, changed, deleted',
  );
  await recorder.call(404, '', ['GET', one, path], 'It is deleted');
};

const members = async (recorder: Recorder, { users }: DemoOrganization) => {
  const one = '/members/{user_id}';
  const path = { user_id: newcomer };
  await recorder.call(200, 'listMembers', ['GET', '/members'], 'All members');
  await recorder.call(200, 'putMember', ['PUT', one, path], 'A new agent', {
    body: { role: 'agent' },
  });
  await recorder.call(200, 'getMember', ['GET', one, path], 'An agent');
  await recorder.call(204, 'deleteMember', ['DELETE', one, path], 'Removed');
  await recorder.call(404, 'getMember', ['GET', one, path], 'Not a member any more');
  await recorder.call(
    409,
    'deleteMember',
    ['DELETE', one, { user_id: users.owner }],
    'The last owner stays',
  );
};

const billing = async (recorder: Recorder) => {
  await recorder.call(200, 'getBalance', ['GET', '/billing/balance'], 'What there is');
  await recorder.call(200, 'listBillingHistory', ['GET', '/billing/history'], 'How it began');
  await recorder.call(200, 'listPlans', ['GET', '/billing/plans'], 'All plans');
};

const refusals = async (
  recorder: Recorder,
  { pipeline_id }: DemoOrganization,
  outsiderToken: string,
) => {
  const list: [string, string] = ['GET', '/leads'];
  await recorder.call(401, '', list, 'No token', { token: null });
  await recorder.call(403, '', list, 'A member of no organization', { token: outsiderToken });
  await recorder.call(400, '', list, 'An unknown parameter', { query: { colour: 'blue' } });
  await recorder.call(415, '', ['POST', '/leads'], 'The body is not JSON', {
    body: { ...maria, pipeline_id },
    headers: { 'content-type': 'text/plain' },
  });
  await recorder.call(413, '', ['POST', '/leads'], 'More than 6 MB', {
    body: 'x'.repeat(6_291_556),
  });
};
