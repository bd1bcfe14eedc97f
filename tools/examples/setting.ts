import { randomUUID } from 'node:crypto';
import type { Setting } from '../../functions/example.ts';

/** The values that make a setting; the others follow from them, or are random. */
type Given = Pick<Setting, 'organizationId' | 'pipelineId' | 'users' | 'call'> & Partial<Setting>;

/** A lead with values of most fields, and two tags. */
export const wholeLead = (
  { pipelineId, users }: Pick<Setting, 'pipelineId' | 'users'>,
  unique: string,
) => ({
  contact_name: 'Ana Souza',
  company_name: 'Padaria Pão Quente',
  email: `ana-${unique}@example.com`,
  phone: '+5511987650000',
  external_id: `crm-${unique}`,
  pipeline_id: pipelineId,
  owner_id: users.agent,
  tags: ['inbound', 'newsletter'],
  value_cents: 125_000,
  next_step_at: '2026-12-01T13:00:00.000Z',
  next_step: 'Call about the offer',
});

/** A field by which leads are listed, which is made unless it is there. */
const sourceField = async ({ call }: Pick<Setting, 'call'>): Promise<string> => {
  const key = 'source';
  const { items } = await call('listFields', {});
  if (!items.some((one: { key: string }) => one.key === key)) {
    const options = ['google', 'referral', 'fair'];
    const body = { key, label: 'Source', type: 'select', options, filterable: true };
    await call('createField', { body });
  }
  return key;
};

/** The setting of examples in an organization, where they share nothing that one of them changes. */
export const settingOf = (given: Given): Setting => {
  let field: Promise<string> | undefined;
  const setting: Setting = {
    newcomerId: randomUUID(),
    freeOrganizationId: randomUUID(),
    tier: `tier-${randomUUID()}`,
    unique: () => randomUUID(),
    lead: () => setting.call('createLead', { body: wholeLead(setting, setting.unique()) }),
    field() {
      // Two that ask at once would both make it.
      field ??= sourceField(setting);
      return field;
    },
    async member() {
      const user_id = randomUUID();
      await setting.call('putMember', { path: { user_id }, body: { role: 'agent' } });
      return user_id;
    },
    async webhook() {
      // An organization has ten at most.
      const { items } = await setting.call('listWebhooks', {});
      const path = { webhook_id: items[0]?.id };
      if (items.length >= 8) await setting.call('deleteWebhook', { path });
      const body = { url: 'https://hooks.example.com/leads', types: ['stars.depleted'] };
      return setting.call('createWebhook', { body });
    },
    apiKey: () => setting.call('createApiKey', { body: { name: 'Website form', role: 'agent' } }),
    ...given,
  };
  return setting;
};
