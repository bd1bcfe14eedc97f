import { randomUUID } from 'node:crypto';
import { Client, type Request } from '../faults/client.ts';
import { costOf, unitsOf } from './measure.ts';
import type { MeteredService } from './metered-service.ts';

/** Read and write units. */
export type ReadWrite = [read: number, write: number];

/** What a lead can have or an organization can use, and what that adds to each call. */
export interface Feature {
  name: string;
  buys: string;
  /** Of the `n`th lead, where it is something of a lead. */
  fields?: (n: number) => object;
  /** Where it is something of an organization. */
  use?: (client: Client, organizationId: string) => Promise<void>;
  adds: { create: ReadWrite; change: ReadWrite; page: ReadWrite };
}

const none: ReadWrite = [0, 0];

const done = async (client: Client, request: Request): Promise<Record<string, never>> => {
  const { code, body } = await client.send(request, randomUUID());
  if (code) throw new Error(`${request.id}: ${code} ${JSON.stringify(body)}`);
  return body;
};

const defineCity = async (client: Client, filterable: boolean): Promise<void> => {
  const body = { key: 'city', label: 'City', type: 'text', filterable };
  await done(client, { id: 'createField', path: '/fields', body });
};

/** A create, a change of a value, and a page of 50 leads. Budgets: `npx vitest run test/cost/features` measures them. */
export const features: Feature[] = [
  {
    name: 'a word of a name',
    buys: 'found by it in a search',
    fields: () => ({ contact_name: 'Ana' }),
    adds: { create: [0, 2], change: none, page: none },
  },
  {
    name: 'a tag',
    buys: 'lists of it',
    fields: () => ({ tags: ['inbound'] }),
    adds: { create: [0, 2], change: [0, 2], page: none },
  },
  {
    name: 'an owner',
    buys: 'lists of it',
    fields: () => ({ owner_id: owner }),
    adds: { create: [1, 3], change: [0, 3], page: [0.5, 0] },
  },
  {
    name: 'an email, unique, and its three words',
    buys: 'no second lead, lookup, upsert, search',
    fields: (n) => ({ email: `lead-${n}@example.com` }),
    adds: { create: [0, 8], change: none, page: none },
  },
  {
    name: 'a phone and its word',
    buys: 'lookup, search',
    fields: (n) => ({ phone: `+55119${87_660_000 + n}` }),
    adds: { create: [0, 4], change: none, page: none },
  },
  {
    name: 'an external id',
    buys: 'no second lead, lookup, upsert',
    fields: (n) => ({ external_id: `crm-${n}` }),
    adds: { create: [0, 2], change: none, page: none },
  },
  {
    name: 'a custom field',
    buys: 'what the company needs to know of a lead',
    use: (client) => defineCity(client, false),
    fields: () => ({ fields: { city: 'Recife' } }),
    adds: { create: [1, 0], change: none, page: none },
  },
  {
    name: 'a custom field that leads are filtered by',
    buys: 'lists of one value of it',
    use: (client) => defineCity(client, true),
    fields: () => ({ fields: { city: 'Recife' } }),
    adds: { create: [1, 2], change: [0, 2], page: [0.5, 0] },
  },
  {
    name: 'a webhook',
    buys: 'changes posted to an address',
    use: async (client) => {
      const body = { url: 'https://hooks.example.com/all' };
      await done(client, { id: 'createWebhook', path: '/webhooks', body });
    },
    adds: { create: none, change: none, page: none },
  },
];

const owner = randomUUID();
const leads = 50;
/** It has no word. */
const nameless = { contact_name: '–' };

/** What a lead that has nothing costs, and the organization that uses nothing. */
export const base: Feature['adds'] = { create: [4, 10], change: [3, 10], page: [3.5, 0] };

/** What the three calls cost in an organization of its own. */
const costsWith = async (
  metered: MeteredService,
  { fields, use }: Pick<Feature, 'fields' | 'use'> = {},
): Promise<Feature['adds']> => {
  const id = randomUUID();
  const client = new Client(metered.service, id, await metered.service.issuer.idToken(owner));
  const { pipelines } = await done(client, {
    id: 'putOrganization',
    path: `/organizations/${id}`,
    body: { name: 'Cedro', members: [{ user_id: owner, role: 'owner' }] },
  });
  await use?.(client, id);
  const pipeline_id = (pipelines as unknown as { id: string }[])[0]!.id;
  const lead = (n: number) => ({ ...nameless, pipeline_id, ...fields?.(n) });
  const unitsFor = async (request: Request): Promise<[ReadWrite, Record<string, never>]> => {
    metered.meter.take();
    const body = await done(client, request);
    const { read, write } = unitsOf(costOf(metered.meter.take()));
    return [[read, write], body];
  };
  const all = Array.from({ length: leads - 1 }, (_, n) => lead(n));
  await done(client, { id: 'createLeads', path: '/leads/batch', body: { leads: all } });
  const [create, made] = await unitsFor({ id: 'createLead', path: '/leads', body: lead(leads) });
  const path = `/leads/${made.id}`;
  const [change] = await unitsFor({ id: 'updateLead', path, body: { value_cents: 100 } });
  const [page] = await unitsFor({ id: 'listLeads', path: `/leads?limit=${leads}` });
  return { create, change, page };
};

/** What a wallet can have, and what that adds to a spend. */
export const walletFeatures: {
  name: string;
  buys: string;
  use: (client: Client, organizationId: string) => Promise<void>;
  adds: ReadWrite;
}[] = [
  {
    name: 'thresholds for `stars.low`',
    buys: 'an event when few stars are left',
    use: async (client) => {
      const body = { thresholds: [10, 1] };
      await done(client, { id: 'putAlerts', path: '/billing/alerts', body });
    },
    adds: none,
  },
  {
    name: 'an open hold',
    buys: 'stars set aside for a job',
    use: async (client) => {
      const body = { stars: 5, expires_in_seconds: 600 };
      await done(client, { id: 'putHold', path: '/billing/holds/job', body });
    },
    adds: none,
  },
  {
    name: 'a pack that expires',
    buys: 'stars for a limited time',
    use: async (client, organization_id) => {
      const detail = {
        event_id: 'pack',
        organization_id,
        stars: 5,
        expires_at: '2040-01-01T00:00:00Z',
      };
      await client.call('applyWalletEvents', { body: [{ type: 'pack.purchased', detail }] });
    },
    adds: none,
  },
];

/** What a spend costs where the wallet has nothing of these. */
export const spendBase: ReadWrite = [4, 6];

const spendWith = async (metered: MeteredService, use?: Feature['use']): Promise<ReadWrite> => {
  const organization_id = randomUUID();
  const token = await metered.service.issuer.idToken(owner);
  const client = new Client(metered.service, organization_id, token);
  const members = [{ user_id: owner, role: 'owner' }];
  await done(client, {
    id: 'putOrganization',
    path: `/organizations/${organization_id}`,
    body: { name: 'Cedro', members, wallet: { pack_stars: 100 } },
  });
  await use?.(client, organization_id);
  metered.meter.take();
  await done(client, { id: 'putSpend', path: '/billing/spends/spent', body: { stars: 1 } });
  const { read, write } = unitsOf(costOf(metered.meter.take()));
  return [read, write];
};

const less = (one: Feature['adds'], other: Feature['adds']): Feature['adds'] => {
  const of = (call: keyof Feature['adds']): ReadWrite => [
    one[call][0] - other[call][0],
    one[call][1] - other[call][1],
  ];
  return { create: of('create'), change: of('change'), page: of('page') };
};

/** What each feature adds, by its name, and what there is without any. */
export const measureFeatures = async (
  metered: MeteredService,
  measuring: (name: string) => void = () => {},
) => {
  // Each environment reads the issuer's keys, once.
  await costsWith(metered);
  const without = await costsWith(metered);
  const adds: Record<string, Feature['adds']> = {};
  for (const feature of features) {
    measuring(feature.name);
    adds[feature.name] = less(await costsWith(metered, feature), without);
  }
  await spendWith(metered);
  const spend = await spendWith(metered);
  const spendAdds: Record<string, ReadWrite> = {};
  for (const { name, use } of walletFeatures) {
    measuring(name);
    const [read, write] = await spendWith(metered, use);
    spendAdds[name] = [read - spend[0], write - spend[1]];
  }
  return { base: without, adds, spend, spendAdds };
};
