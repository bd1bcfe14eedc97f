import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { places } from '../../lib/table/keys.ts';
import { putDelivery } from '../../lib/webhooks/delivery/delivery-log.ts';
import { asAsked, unnumbered } from '../support/asked.ts';
import { hold, openingWallet, spend } from '../support/billing.ts';
import { historyKey, ledgerEntryKey } from '../support/keys.ts';
import { type Organization, type People, provision } from '../support/organization.ts';
import { itemsOf, table } from '../support/table.ts';

const newSecrets = () => {
  const word = () => `secret-${randomUUID().slice(0, 12)}`;
  return {
    user_id: randomUUID() as string,
    stage: word(),
    tag: word(),
    email: `${word()}@example.com`,
    phone: `+55${String(Math.random()).slice(2, 13).padEnd(11, '7')}`,
    external_id: word(),
    contact_name: word(),
    company_name: word(),
    name: word(),
  };
};

/** What is in the other organization and nowhere else, by the field that can name it. */
export type Secrets = ReturnType<typeof newSecrets> &
  Record<'lead_id' | 'note_id' | 'pipeline_id' | 'webhook_id' | 'key_id', string>;

/** Of the same form, and in no organization. */
export const unknownSecrets = (): Secrets => ({
  ...newSecrets(),
  lead_id: randomUUID(),
  note_id: randomUUID(),
  pipeline_id: randomUUID(),
  webhook_id: randomUUID(),
  key_id: randomUUID(),
});

export interface Tenant {
  organization: Organization;
  secrets: Secrets;
}

/** An organization with something of everything. */
export const tenant = async (people: People): Promise<Tenant> => {
  const named = newSecrets();
  const { user_id, tag, email, phone, external_id, contact_name, company_name } = named;
  const { stage, name } = named;
  const stages = [
    { name: stage, outcome: 'open' },
    { name: 'won', outcome: 'won' },
  ];
  const pipelines = [{ name, stages, unique_contact: ['email', 'phone'] }];
  const organization = await provision({ name, pipelines, ...openingWallet(40, 1000) }, people);
  await organization.put(`/members/${user_id}`, { role: 'agent' });
  const fields = { contact_name, company_name, owner_id: user_id, tags: [tag], value_cents: 4711 };
  await organization.lead(fields);
  await organization.lead({ ...fields, owner_id: null });
  const { id } = await organization.lead({ ...fields, email, phone, external_id });
  await organization.post(`/leads/${id}/notes`, { text: 'Another note.' });
  const note = await organization.post(`/leads/${id}/notes`, { text: 'A note.' });
  await organization.patch(`/leads/${id}`, { stage: 'won' });
  await organization.patch(`/leads/${id}`, { stage });
  await spend(organization, 3);
  for (const holdId of ['one', 'two'])
    await hold(organization, holdId, 1, { expires_in_seconds: 86_400 });
  for (const spender of ['ada', 'bob'])
    await organization.put(`/billing/limits/spender/${spender}`, { stars: 9, period: 'day' });
  // It stays as it is: nothing that is done to another organization changes it.
  const webhook = { url: 'https://hooks.example.com/', types: ['stars.depleted'] };
  const { body } = await organization.post('/webhooks', webhook);
  const apiKeyInput = { name: `API key of ${name}`, role: 'admin' };
  await organization.post('/keys', apiKeyInput);
  const apiKey = await organization.post('/keys', apiKeyInput);
  const attempt = {
    type: 'stars.depleted',
    attempt: 1,
    outcome: 'delivered',
    status: 200,
  } as const;
  const more = { sequence: 1, error: null, duration_ms: 1, at: new Date().toISOString() };
  for (const id of [randomUUID(), randomUUID()]) {
    const delivery = { id, event_id: id, ...attempt, ...more };
    const { Item } = putDelivery(organization.id, body.id, delivery).Put;
    await table.send(new PutCommand({ TableName: inject('service').tableName, Item }));
  }
  return {
    organization,
    secrets: {
      ...named,
      lead_id: id,
      note_id: note.body.id,
      pipeline_id: organization.pipelineId,
      webhook_id: body.id,
      key_id: apiKey.body.id,
    },
  };
};

/** Everything that is stored of an organization, but what is recorded under keys. */
export const stateOf = async ({ organization: { id, pipelineId }, secrets }: Tenant) => {
  const { organization, pipeline, fields, webhook, wallet, spendLimit } = places;
  const own = await Promise.all(
    [organization, pipeline, fields, webhook, wallet, spendLimit].map((one) =>
      itemsOf(one.partition({ organizationId: id })),
    ),
  );
  const [members, names, keys, leads, ledger, copies, counters] = await Promise.all(
    [
      places.member.partition({ organizationId: id }),
      places.name.partition({ organizationId: id }),
      places.apiKeySettings.partition({ organizationId: id }),
      places.lead.partition({ organizationId: id }),
      ledgerEntryKey(id, 0).pk,
      places.leadOfTag.partition({ organizationId: id, tag: secrets.tag }),
      places.counter.partition({ organizationId: id, pipelineId }),
    ].map(itemsOf),
  );
  const apiKeys = await Promise.all(
    keys!.map(({ sk }) => itemsOf(places.apiKey.partition({ keyId: String(sk) }))),
  );
  const notes = await itemsOf(
    places.note.partition({ organizationId: id, leadId: secrets.lead_id }),
  );
  const histories = await Promise.all(
    leads!.map(({ sk }) => itemsOf(historyKey(id, String(sk), 0).pk)),
  );
  return {
    own: own.flat().map(asAsked),
    members,
    names,
    keys,
    apiKeys,
    leads,
    ledger: ledger!.map(unnumbered),
    copies,
    counters,
    notes,
    histories: histories.map((entries) => entries.map(unnumbered)),
  };
};
