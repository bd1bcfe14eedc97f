import { CliError } from '@leads-and-stars/runner';
import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { ofCommand } from '../../lib/facts/origin.ts';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import type { ApiKey } from '../../lib/organizations/api-keys/api-keys.ts';
import { organizationInput, provision } from '../../lib/provisioning/provisioning.ts';
import { fetchApi } from '../cli/fetch-api.ts';
import type { Demo, DemoOrganization } from '../service/demo-organization.ts';
import type { Service } from '../service/service.ts';
import { localPlatformKey, localTable } from './platform-key.ts';

const idOf = (name: string): string => v5(`demo ${name}`, v5.URL);

const companies = [
  {
    name: 'Aurora Solar',
    // The examples of the documents name it, and can be sent as they are.
    pipeline_id: '01a1fc01-02b9-730f-b111-47189a9f579e',
    pack_stars: 250,
    user_names: {
      owner: 'Helena Duarte',
      admin: 'Igor Matos',
      agent: 'Julia Reis',
      viewer: 'Kaio Nunes',
      support: 'Lia Torres',
      billing: 'Mario Pinto',
      meter: 'Nina Vidal',
      assistant: 'Davi Nogueira',
    },
    contacts: ['Ana Souza', 'Bruno Lima', 'Carla Dias'],
  },
  {
    name: 'Borealis Foods',
    pipeline_id: '01a1fc01-02ba-7c41-8d16-9b52f1a60e73',
    pack_stars: 0,
    user_names: {
      owner: 'Otto Brito',
      admin: 'Paula Sales',
      agent: 'Rui Castro',
      viewer: 'Sara Moura',
      support: 'Tom Leal',
      billing: 'Vera Lopes',
      meter: 'Yara Melo',
      assistant: 'Zeca Braga',
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
 * Makes two plans, and two organizations with members of every role, a pipeline, a custom field, a wallet and some leads,
 * once. Its platform key is the given key of an earlier run; without it, a new key, which ends the earlier.
 */
export const makeDemo = async (service: Service, platformKey?: string): Promise<Demo> => {
  const platform_key = await localPlatformKey(
    service.tableEndpoint,
    service.assembly.table.TableName,
    { id: idOf('platform key'), name: 'Demo', key: platformKey },
  );
  for (const { tier, ...plan } of plans) {
    await send(service, ['PUT', `/billing/plans/${tier}`], {
      credential: platform_key,
      body: plan,
    });
  }
  const organizations: DemoOrganization[] = [];
  for (const company of companies) {
    const organization = await provisionDemo(service, company);
    organizations.push(organization);
    await createField(service, organization);
    for (const contact of company.contacts) {
      await createLead(service, organization, contact);
    }
  }
  return { organizations, platform_key };
};

/** A valid token of someone who is a member of no organization. */
export const outsiderToken = (service: Service): Promise<string> =>
  service.issuer.idToken(idOf('outsider'));

interface DemoRequest {
  /** A platform key where no organization is named, else the token of one of its members. */
  credential: string;
  organization?: DemoOrganization;
  body?: object;
}

/** Calls the API. Throws where that is refused, but for `accepted` codes. */
const send = async (
  { baseUrl }: Service,
  [method, path]: [string, string],
  { credential, organization, body }: DemoRequest,
  accepted: string[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
): Promise<any> => {
  const answer = await fetchApi(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      ...(organization && { 'x-organization-id': organization.organization_id }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = JSON.parse(await answer.text());
  if (answer.ok || accepted.includes(json.error?.code)) return json;
  throw new Error(`no demo data: ${JSON.stringify(json)}`);
};

/** Past the API, which would choose the id of the pipeline. */
const provisionDemo = async (
  service: Service,
  { name, pipeline_id, pack_stars, user_names }: (typeof companies)[number],
): Promise<DemoOrganization> => {
  const organization_id = idOf(name);
  const users = Object.fromEntries(roles.map((role) => [role, idOf(`${name} ${role}`)])) as Record<
    Role,
    string
  >;
  const input = z.parse(organizationInput, {
    name,
    members: roles.map((role) => ({ user_id: users[role], role, name: user_names[role] })),
    wallet: {
      pack_stars,
      subscription: {
        tier: 'pro',
        status: 'active',
        monthly_grant_stars: 100,
        monthly_stars: 100,
        current_period_end: '2100-01-01T00:00:00.000Z',
      },
    },
  });
  const table = localTable(service.tableEndpoint, service.assembly.table.TableName);
  await provision(table, organization_id, input, ofCommand, () => pipeline_id).catch((error) => {
    if (!(error instanceof ApiError && error.code === 'organization_id_reused')) throw error;
    throw new CliError(
      'The data here has the demo of another version: delete it (.local/), or give --no-demo.',
    );
  });
  const tokens = await tokensOf(service, users);
  return { organization_id, name, pipeline_id, users, user_names, tokens };
};

/** New tokens of an organization's users. */
export const tokensOf = async (
  { issuer }: Pick<Service, 'issuer'>,
  users: DemoOrganization['users'],
): Promise<DemoOrganization['tokens']> => {
  const tokens = roles.map(async (role) => [role, await issuer.idToken(users[role])]);
  return Object.fromEntries(await Promise.all(tokens));
};

/**
 * An API key of the demo, an admin's: that of an earlier run while it is good. A run that was ended just after it made one
 * has left one that nobody knows: that gets a new secret.
 */
export const demoApiKey = async (
  service: Service,
  organization: DemoOrganization,
  earlier?: string,
): Promise<string> => {
  if (earlier !== undefined) {
    const me = await send(service, ['GET', '/me'], { credential: earlier }, ['unauthenticated']);
    if (me.organizations?.[0]?.id === organization.organization_id) return earlier;
  }
  const name = 'Demo';
  const sent = { credential: organization.tokens.owner, organization };
  const { items } = await send(service, ['GET', '/keys'], sent);
  const left = items.find(
    (one: Pick<ApiKey, 'name' | 'revoked_at'>) => one.name === name && one.revoked_at === null,
  );
  const [path, body] = left ? [`/keys/${left.id}/rotate`, {}] : ['/keys', { name, role: 'admin' }];
  return (await send(service, ['POST', path], { ...sent, body })).key;
};

/** The field by which the examples of the documents list leads. */
const createField = async (service: Service, organization: DemoOrganization): Promise<void> => {
  const sent = { credential: organization.tokens.owner, organization };
  const { items } = await send(service, ['GET', '/fields'], sent);
  if (items.length > 0) return;
  const options = ['google', 'referral', 'fair'];
  const body = { key: 'source', label: 'Source', type: 'select', options, filterable: true };
  await send(service, ['POST', '/fields'], { ...sent, body });
};

/** A demo lead that is there from an earlier run is found by its email. */
const createLead = async (
  service: Service,
  organization: DemoOrganization,
  contact_name: string,
): Promise<void> => {
  const { name, pipeline_id, tokens } = organization;
  const host = name.toLowerCase().replaceAll(' ', '-');
  const mailbox = contact_name.toLowerCase().replaceAll(' ', '.');
  const body = {
    contact_name,
    pipeline_id,
    email: `${mailbox}@${host}.example`,
    tags: ['demo'],
    value_cents: 125_000,
  };
  const sent = { credential: tokens.agent, organization, body };
  await send(service, ['POST', '/leads'], sent, ['duplicate_lead']);
};
