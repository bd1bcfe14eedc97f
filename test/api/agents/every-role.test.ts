import { beforeAll, expect, test } from 'vitest';
import { tools } from '../../../functions/agents/answer-agent.ts';
import { apiKeyRoles, type Role } from '../../../lib/operations/permissions.ts';
import { type Agent, agentWith } from '../../support/agent.ts';
import { outcome } from '../../support/api.ts';
import { openingWallet } from '../../support/billing.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { sampleOf, send } from '../../tenants/naming.ts';
import { makeApiKey } from '../keys/api-keys.ts';

// A role has the tools that run what it may do by HTTP: the operations themselves are asked.

let organization: Organization;
let lead_id: string;

beforeAll(async () => {
  organization = await provision(openingWallet(0, 1000));
  lead_id = (await organization.lead()).id;
});

const given = (name: string): object =>
  ({
    get_lead: { lead_id },
    save_lead: { lead_id, company_name: 'Padaria' },
    add_note: { lead_id, text: crypto.randomUUID() },
    pipeline_summary: { pipeline_id: organization.pipelineId },
    spend_stars: { job: crypto.randomUUID(), stars: 1 },
  })[name] ?? {};

/** By the tools: those that are listed, and those whose call is not forbidden. */
const byTools = async ({ client, use }: Agent) => {
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  const called: string[] = [];
  for (const { name } of tools) {
    const { isError, content } = await use(name, given(name));
    if (isError) expect([name, content.error.code]).toEqual([name, 'forbidden']);
    else called.push(name);
  }
  return { listed, called };
};

/** By HTTP: the tools whose operation is not forbidden. */
const byHttp = async (credential: string) => {
  const may: string[] = [];
  for (const { name, operations } of tools) {
    const sent = await sampleOf(operations[0], organization);
    const headers = { ...sent.headers, Authorization: `Bearer ${credential}` };
    const code = outcome(await send(operations[0], { ...sent, headers }));
    if (code !== 'forbidden') may.push(name);
  }
  return may;
};

test.each([...apiKeyRoles])('an API key with the role %s', async (role) => {
  const { key } = await makeApiKey(organization, { role });
  const { listed, called } = await byTools(await agentWith(key));
  const may = await byHttp(key);
  expect(listed).toEqual(may);
  expect(called).toEqual(may);
  expect(may).toContain('whoami');
});

test.each<Role>(['owner', 'viewer'])('a member with the role %s', async (role) => {
  const token = organization.tokens[role];
  const named = { 'x-organization-id': organization.id };
  const { listed, called } = await byTools(await agentWith(token, '2025-11-25', named));
  expect(listed).toEqual(called);
  expect(listed).toEqual(await byHttp(token));
});

test('what each role has', async () => {
  const namesOf = async (role: Role) => {
    const { client } = await agentWith((await makeApiKey(organization, { role })).key);
    return (await client.listTools()).tools.map(({ name }) => name).join(' ');
  };
  const reading = 'whoami find_leads get_lead';
  expect(await namesOf('viewer')).toBe(`${reading} pipeline_summary`);
  expect(await namesOf('agent')).toBe(`${reading} save_lead add_note pipeline_summary`);
  expect(await namesOf('meter')).toBe('whoami balance spend_stars usage');
});
