import { CliError } from '@leads-and-stars/runner';
import { v5 } from 'uuid';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import { fetchApi } from '../cli/fetch-api.ts';
import type { Service } from '../dev/service.ts';
import type { Demo, DemoOrganization } from './organization.ts';
import { localPlatformKey } from './platform-key.ts';

const idOf = (name: string): string => v5(`demo ${name}`, v5.URL);

const companies = [
  {
    name: 'Aurora Solar',
    pack_stars: 250,
    user_names: {
      owner: 'Helena Duarte',
      admin: 'Igor Matos',
      agent: 'Julia Reis',
      viewer: 'Kaio Nunes',
      support: 'Lia Torres',
      billing: 'Mario Pinto',
      meter: 'Nina Vidal',
    },
    contacts: ['Ana Souza', 'Bruno Lima', 'Carla Dias'],
  },
  {
    name: 'Borealis Foods',
    pack_stars: 0,
    user_names: {
      owner: 'Otto Brito',
      admin: 'Paula Sales',
      agent: 'Rui Castro',
      viewer: 'Sara Moura',
      support: 'Tom Leal',
      billing: 'Vera Lopes',
      meter: 'Yara Melo',
    },
    contacts: ['Davi Rocha', 'Elisa Prado'],
  },
] satisfies { user_names: Record<Role, string>; [field: string]: unknown }[];

const plans = [
  {
    tier: 'starter',
    name: 'Starter',
    monthly_grant_stars: 25,
    price_cents: 1_900,
    currency: 'USD',
  },
  { tier: 'pro', name: 'Pro', monthly_grant_stars: 100, price_cents: 4_900, currency: 'USD' },
];

/**
 * Makes two plans, and two organizations with members of every role, pipelines, a wallet and some leads, once. Its platform
 * key is that of an earlier run, if it is given; else a new one, which ends that.
 */
export const makeDemo = async (service: Service, platformKey?: string): Promise<Demo> => {
  const platform_key = await localPlatformKey(
    service.tableEndpoint,
    service.assembly.table.TableName,
    { id: idOf('platform key'), name: 'Demo', key: platformKey },
  );
  const put = (path: string, body: object) => putAt(service.baseUrl + path, platform_key, body);
  for (const { tier, ...plan } of plans) await put(`/billing/plans/${tier}`, plan);
  const organizations: DemoOrganization[] = [];
  for (const company of companies) {
    const organization = await provision(service, put, company);
    organizations.push(organization);
    for (const contact of company.contacts) {
      await createLead(service, organization, company.name, contact);
    }
  }
  return { organizations, platform_key };
};

/** A valid token of someone who is a member of no organization. */
export const outsiderToken = (service: Service): Promise<string> =>
  service.issuer.idToken(idOf('outsider'));

const putAt = async (url: string, platformKey: string, body: object) => {
  const answer = await fetchApi(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${platformKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (text.includes('organization_id_reused')) {
    throw new CliError(
      'The data here has the demo of another version: delete it (.local/), or give --no-demo.',
    );
  }
  if (!answer.ok) throw new Error(`no demo data: ${text}`);
  return JSON.parse(text);
};

const provision = async (
  service: Service,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  put: (path: string, body: object) => Promise<any>,
  { name, pack_stars, user_names }: (typeof companies)[number],
): Promise<DemoOrganization> => {
  const organization_id = idOf(name);
  const users = Object.fromEntries(roles.map((role) => [role, idOf(`${name} ${role}`)])) as Record<
    Role,
    string
  >;
  const { pipelines } = await put(`/organizations/${organization_id}`, {
    name,
    members: roles.map((role) => ({ user_id: users[role], role, name: user_names[role] })),
    wallet: {
      pack_stars,
      subscription: {
        tier: 'pro',
        status: 'active',
        monthly_grant_stars: 100,
        monthly_stars: 100,
        current_period_end: '2030-01-01T00:00:00.000Z',
      },
    },
  });
  const tokens = await Promise.all(
    roles.map(async (role) => [role, await service.issuer.idToken(users[role])]),
  );
  return {
    organization_id,
    name,
    pipeline_id: pipelines[0].id,
    users,
    user_names,
    tokens: Object.fromEntries(tokens),
  };
};

/** A demo lead that is there from an earlier run is found by its email. */
const createLead = async (
  service: Service,
  { organization_id, pipeline_id, tokens }: DemoOrganization,
  company: string,
  contact_name: string,
): Promise<void> => {
  const host = company.toLowerCase().replaceAll(' ', '-');
  const mailbox = contact_name.toLowerCase().replaceAll(' ', '.');
  const answer = await fetchApi(`${service.baseUrl}/leads`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens.agent}`,
      'x-organization-id': organization_id,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      contact_name,
      pipeline_id,
      email: `${mailbox}@${host}.example`,
      tags: ['demo'],
      value_cents: 125_000,
    }),
  });
  if (!answer.ok && answer.status !== 409) throw new Error(`no demo data: ${await answer.text()}`);
};
