import { beforeAll, expect, inject, test } from 'vitest';
import {
  addToCounter,
  readCounter,
  setPerSecond,
} from '../../../lib/organizations/request-counter.ts';
import {
  burstSeconds,
  leastPerSecond,
  tolerance,
} from '../../../lib/organizations/request-limit.ts';
import { createClient } from '../../../packages/client/src/index.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { openTableAt } from '../../support/table.ts';

// The rules are in test/unit/organizations/request-limit.test.ts and admission-limit.test.ts. Here they go through the front door.

const { baseUrl, tableEndpoint, tableName } = inject('service');
const table = openTableAt(tableEndpoint, tableName);
let organizations: Organization[];

beforeAll(async () => {
  organizations = await Promise.all(Array.from({ length: 3 }, () => provision()));
  for (const { id } of organizations) await setPerSecond(table, id, leastPerSecond);
});

/** As if it had sent so many requests more than it may. */
const overrun = (one: Organization, requests: number) => {
  const most = leastPerSecond * burstSeconds + tolerance;
  const milliseconds = ((most + requests) / leastPerSecond) * 1000;
  return addToCounter(table, one.id, milliseconds, { clearAt: 0 });
};

test('an organization beyond its limit is refused, while one that keeps it notices nothing', async () => {
  const [greedy, modest] = organizations as [Organization, Organization];
  await overrun(greedy, 600 * leastPerSecond);
  const refused = await greedy.get('/organization');
  expect([refused.status, refused.body.error?.code]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('ratelimit-policy')).toBe('"organization";q=20;w=2');
  expect(refused.headers.get('ratelimit')).toMatch(/^"organization";r=0;t=\d+$/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const answer = await modest.get('/organization');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('ratelimit')).toMatch(/^"organization";r=\d+;t=\d+$/);
});

test('requests are counted: one in twenty, by chance', async () => {
  const [, modest] = organizations as [Organization, Organization];
  const counter = async () => (await readCounter(table, modest.id)).clearAt;
  const before = await counter();
  let sent = 0;
  // That none of a thousand is counted happens once in 10²² runs.
  for (; sent < 1000 && (await counter()) === before; sent += 8) {
    await Promise.all(Array.from({ length: 8 }, () => modest.get('/organization')));
  }
  expect(sent).toBeLessThan(1000);
});

test('a member hears nothing of it where the role does not allow the call', async () => {
  const one = await provision();
  const [read, write] = await Promise.all([
    one.get('/leads', { role: 'viewer' }),
    one.post('/leads', {}, { role: 'viewer' }),
  ]);
  expect([read.status, write.status]).toEqual([200, 403]);
  expect([read, write].map(({ headers }) => headers.has('ratelimit'))).toEqual([true, false]);
});

test('the client waits as long as it is told, and then its call is done', async () => {
  const { id, tokens } = organizations[2]!;
  await overrun(organizations[2]!, 3 * leastPerSecond);
  const answers: { at: number; status: number; waitMs: number }[] = [];
  const client = createClient({
    baseUrl,
    organizationId: id,
    token: tokens.owner,
    retry: { firstDelayMs: 1 },
    fetch: async (request) => {
      const response = await fetch(request);
      const waitMs = 1000 * Number(response.headers.get('retry-after'));
      answers.push({ at: Date.now(), status: response.status, waitMs });
      return response;
    },
  });
  expect((await client.get('/organization')).data.id).toBe(id);
  expect(answers.map(({ status }) => status)).toEqual([429, 200]);
  const [refused, done] = answers as [(typeof answers)[0], (typeof answers)[0]];
  expect(refused.waitMs).toBeGreaterThanOrEqual(1000);
  expect(done.at - refused.at).toBeGreaterThanOrEqual(refused.waitMs);
});
