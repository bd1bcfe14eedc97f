import { randomUUID } from 'node:crypto';
import type { Setting as ExampleSetting } from '../../functions/example.ts';
import { settingOf, wholeLead } from '../../tools/examples/setting.ts';
import type { Service } from '../../tools/service/service.ts';
import { Client } from '../faults/client.ts';

/** An organization as calls are measured in: two pipelines, a subscription, and a page of leads. */
export interface Setting {
  id: string;
  owner: string;
  pipelineId: string;
  client: Client;
  token: string;
  platformKey: string;
  /** Leads that have values of most fields, the newest last. */
  leadIds: string[];
  /** The same for examples. */
  examples: ExampleSetting;
}

type Lead = Awaited<ReturnType<ExampleSetting['lead']>>;

const stages = ['new', 'contacted', 'qualified', 'won', 'lost'].map((name) => ({
  name,
  outcome: 'open',
}));

/** More than a page of 50, so that a list reads one more than the page. */
const leads = 60;

export const makeSetting = async (service: Service): Promise<Setting> => {
  const [id, owner, agent] = [randomUUID(), randomUUID(), randomUUID()];
  const token = await service.issuer.idToken(owner);
  const client = new Client(service, id, token);
  const { body } = await client.send({
    id: 'putOrganization',
    path: `/organizations/${id}`,
    body: {
      name: 'Cedro Ltda',
      members: [
        { user_id: owner, role: 'owner' },
        { user_id: agent, role: 'agent' },
      ],
      pipelines: ['Sales', 'Partners'].map((name) => ({ name, stages })),
      wallet: {
        pack_stars: 1_000,
        subscription: {
          tier: 'pro',
          status: 'active',
          monthly_grant_stars: 100,
          monthly_stars: 100,
          current_period_end: '2040-01-01T00:00:00Z',
        },
      },
    },
  });
  const pipelineId = body.pipelines[0].id;
  const setting = settingOf({
    organizationId: id,
    pipelineId,
    users: { owner, agent, viewer: owner },
    call: (operationId, request) => client.call(operationId, request),
  });
  const made = await client.send({
    id: 'createLeads',
    path: '/leads/batch',
    body: { leads: Array.from({ length: leads }, (_, n) => wholeLead(setting, String(n))) },
  });
  const found: Lead[] = made.body.items.map((item: { lead: Lead }) => item.lead);
  const unused = found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const leadIds = unused.map((one) => one.id);
  setting.lead = async () => unused.pop()!;
  const platformKey = await client.platformKey();
  return { id, owner, pipelineId, client, token, platformKey, leadIds, examples: setting };
};
