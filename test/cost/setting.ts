import { randomUUID } from 'node:crypto';
import type { Service } from '../../tools/dev/service.ts';
import { Client } from '../faults/client.ts';

/** An organization as calls are measured in: two pipelines, a subscription, and a page of leads. */
export interface Setting {
  id: string;
  owner: string;
  pipelineId: string;
  client: Client;
  token: string;
  /** Leads that have every field, the newest last. */
  leadIds: string[];
}

const stages = ['new', 'contacted', 'qualified', 'won', 'lost'].map((name) => ({
  name,
  outcome: 'open',
}));

/** More than a page of 50, so that a list reads one more than the page. */
const leads = 60;

/** Every optional field, in usual lengths. */
export const wholeLead = (pipeline_id: string, owner_id: string, n: number) => ({
  contact_name: 'Maria Aparecida Silva',
  company_name: 'Padaria Pão Quente',
  email: `maria.silva.${n}@example.com`,
  phone: `+55119${87_650_000 + n}`,
  pipeline_id,
  owner_id,
  tags: ['inbound', 'newsletter'],
  value_cents: 125_000,
});

export const makeSetting = async (service: Service): Promise<Setting> => {
  const [id, owner] = [randomUUID(), randomUUID()];
  const token = await service.issuer.idToken(owner);
  const client = new Client(service, id, token);
  const { body } = await client.send({
    id: 'provisionOrganization',
    body: {
      organization_id: id,
      name: 'Cedro Ltda',
      members: [
        { user_id: owner, role: 'owner' },
        { user_id: randomUUID(), role: 'agent' },
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
  const made = await client.send({
    id: 'createLeads',
    path: '/leads/batch',
    body: { leads: Array.from({ length: leads }, (_, n) => wholeLead(pipelineId, owner, n)) },
  });
  const leadIds = made.body.items.map((item: { lead: { id: string } }) => item.lead.id).sort();
  return { id, owner, pipelineId, client, token, leadIds };
};
