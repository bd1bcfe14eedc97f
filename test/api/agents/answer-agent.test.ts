import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { tools } from '../../../functions/agents/answer-agent.ts';
import { newApiKey } from '../../../lib/tokens/api-key.ts';
import { agentWith, post, type SpokenVersion, spoken } from '../../support/agent.ts';
import { openingWallet } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { makeApiKey } from '../keys/api-keys.ts';

const { logFile, pageOrigin } = inject('service');

let organization: Organization;
let key: { id: string; key: string };
let leadId: string;

beforeAll(async () => {
  organization = await provision(openingWallet(0, 1000));
  key = await makeApiKey(organization, { role: 'admin' });
  leadId = (await organization.lead()).id;
});

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const withKey = (headers = {}) => ({ authorization: `Bearer ${key.key}`, ...headers });

/** Arguments with which each tool can be called. */
const argumentsOf = (): Record<string, object> => ({
  whoami: {},
  find_leads: { limit: 3 },
  get_lead: { lead_id: leadId },
  save_lead: { lead_id: leadId, company_name: 'Padaria' },
  add_note: { lead_id: leadId, text: 'Called.' },
  pipeline_summary: { pipeline_id: organization.pipelineId },
  balance: {},
  spend_stars: { job: `job-${crypto.randomUUID()}`, stars: 1 },
  usage: { group_by: 'spender' },
});

describe.each(Object.keys(spoken) as SpokenVersion[])('the official client of %s', (version) => {
  test('lists and calls every tool', async () => {
    const { client, use } = await agentWith(key.key, version);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()).toContain('whoami');
    const listed = (await client.listTools()).tools;
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    const given = argumentsOf();
    expect(Object.keys(given)).toEqual(listed.map(({ name }) => name));
    for (const { name } of listed) {
      const { isError, content, result } = await use(name, given[name]);
      expect([name, isError, content]).toEqual([name, false, expect.any(Object)]);
      expect(JSON.parse(result.content[0].text)).toEqual(content);
    }
    await client.close();
  });
});

test('there are ten tools at most, in 14 KB, each with hints for clients', async () => {
  const { client } = await agentWith(key.key);
  const listed = (await client.listTools()).tools;
  expect(listed.length).toBeLessThanOrEqual(10);
  expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(14 * 1024);
  for (const { inputSchema, annotations } of listed) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    // An empty text, which HTTP takes for nothing, is no choice for a model.
    expect(JSON.stringify(inputSchema)).not.toContain('""');
    // Some models’ providers take one type at a place.
    expect(JSON.stringify(inputSchema)).not.toContain('"type":[');
    expect(annotations).toEqual({
      title: expect.any(String),
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: true,
      openWorldHint: false,
    });
  }
  const writers = listed.filter(({ annotations }) => !annotations?.readOnlyHint);
  expect(writers.map(({ name }) => name)).toEqual(['save_lead', 'add_note', 'spend_stars']);
});

describe('who is refused as by HTTP', () => {
  const codeOf = async (answer: Promise<Response>) => {
    const { status, headers } = await answer;
    const body = JSON.parse((await (await answer).text()) || '{}');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    return [status, body.error?.code ?? 'answered'];
  };

  test.each([
    ['none', {}],
    ['no key', { authorization: 'Bearer x' }],
    ['a made-up key', { authorization: `Bearer lsk_${'0'.repeat(22)}_${'0'.repeat(43)}_000000` }],
  ])('credentials: %s', async (_, headers) => {
    expect(await codeOf(post(list, headers))).toEqual([401, 'unauthenticated']);
    expect(await codeOf(post(list, withKey()))).toEqual([200, 'answered']);
  });

  test('a key of another organization, and a revoked one, also within a call', async () => {
    const other = await provision();
    const named = { 'x-organization-id': other.id };
    const made = await makeApiKey(organization);
    const call = { ...list, method: 'tools/call', params: { name: 'whoami' } };
    for (const message of [list, call]) {
      expect(await codeOf(post(message, withKey(named)))).toEqual([401, 'unauthenticated']);
      const own = { authorization: `Bearer ${made.key}` };
      expect(await codeOf(post(message, own))).toEqual([200, 'answered']);
    }
    await organization.delete(`/keys/${made.id}`);
    const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
    for (const message of [list, call, { ...list, method: 'initialize' }, ping, notice, {}]) {
      const own = { authorization: `Bearer ${made.key}` };
      expect(await codeOf(post(message, own))).toEqual([401, 'unauthenticated']);
    }
  });

  test('a stranger to the organization', async () => {
    const { tokens } = await provision();
    const stranger = {
      authorization: `Bearer ${tokens.owner}`,
      'x-organization-id': organization.id,
    };
    expect(await codeOf(post(list, stranger))).toEqual([403, 'forbidden']);
    const member = { ...stranger, authorization: `Bearer ${organization.tokens.viewer}` };
    expect(await codeOf(post(list, member))).toEqual([200, 'answered']);
    expect(
      await codeOf(post(list, { authorization: `Bearer ${organization.tokens.viewer}` })),
    ).toEqual([400, 'invalid_request']);
  });

  test.each(['https://evil.example', 'null', `${pageOrigin}0`])('a page of %s', async (origin) => {
    expect(await codeOf(post(ping, withKey({ origin })))).toEqual([403, 'forbidden']);
    expect(await codeOf(post(ping, withKey({ origin: pageOrigin })))).toEqual([200, 'answered']);
  });

  test('a body that is no JSON, of another type, or too long; who is no caller does not hear of it', async () => {
    const room = 64 * 1024 - JSON.stringify({ ...ping, params: { a: '' } }).length;
    const long = (characters: number) => ({ ...ping, params: { a: 'a'.repeat(characters) } });
    expect(await codeOf(post(long(room), withKey()))).toEqual([200, 'answered']);
    const { text } = newApiKey('organization', crypto.randomUUID());
    for (const [message, headers, status, code] of [
      ['{', {}, 400, 'invalid_request'],
      [ping, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
      [long(room + 1), {}, 413, 'payload_too_large'],
    ] as const) {
      expect(await codeOf(post(message, withKey(headers)))).toEqual([status, code]);
      const unknown = { authorization: `Bearer ${text}`, ...headers };
      expect(await codeOf(post(message, unknown))).toEqual([401, 'unauthenticated']);
    }
  });
});

test('a notification has no answer, and other methods than POST are refused', async () => {
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const noted = await post(note, withKey());
  expect([noted.status, await noted.text()]).toEqual([202, '']);
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${inject('service').baseUrl}/mcp`, { method, headers: withKey() });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  }
});

test('the log says which tool was called, by which key, and why it was refused', async () => {
  const call = (name: string, given: object) =>
    post({ ...list, method: 'tools/call', params: { name, arguments: given } }, withKey());
  const lineOf = async (answer: Response) => {
    const id = answer.headers.get('x-request-id')!;
    const line = await eventually(
      () =>
        readFileSync(logFile, 'utf8')
          .split('\n')
          .find((one) => one.includes(id)),
      (one) => one !== undefined,
    );
    return JSON.parse(line!).message;
  };
  const common = {
    operation: 'answerAgent',
    status: 200,
    user_id: key.id,
    organization_id: organization.id,
    capacity_units: expect.any(Number),
  };
  const balance = await lineOf(await call('balance', {}));
  expect(balance).toMatchObject({ ...common, tool: 'balance' });
  expect(balance).not.toHaveProperty('code');
  const refused = await lineOf(await call('spend_stars', { job: 'dear', stars: 99_999 }));
  expect(refused).toMatchObject({ ...common, tool: 'spend_stars', code: 'insufficient_stars' });
  expect(await lineOf(await call('nothing', {}))).not.toHaveProperty('tool');
});
