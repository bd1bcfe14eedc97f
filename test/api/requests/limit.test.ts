import { beforeAll, expect, inject, test } from 'vitest';
import {
  burstSeconds,
  leastPerSecond,
  tolerance,
} from '../../../lib/organizations/request-limit.ts';
import { limitOrganization, readCountOf, useUpLimit } from '../../support/limit.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { openTableAt } from '../../support/table.ts';

// The rules are in test/unit/organizations/request-limit.test.ts and
// test/unit/admission/admission-limit.test.ts, and that the client waits in
// test/unit/client/retry.test.ts. Here they go through the front door.

const { tableEndpoint, tableName } = inject('service');
const table = openTableAt(tableEndpoint, tableName);
let greedy: Organization;
let modest: Organization;

beforeAll(async () => {
  [greedy, modest] = await Promise.all([provision(), provision()]);
  for (const { id } of [greedy, modest]) await limitOrganization(table, id, leastPerSecond);
});

test('an organization beyond its limit is refused, while one that keeps it notices nothing', async () => {
  // As if it had sent so many requests more than it may.
  const requests = leastPerSecond * burstSeconds + tolerance + 600 * leastPerSecond;
  await useUpLimit(table, greedy.id, (requests / leastPerSecond) * 1000);
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
  const counter = async () => (await readCountOf(table, modest.id)).clearAt;
  const before = await counter();
  let sent = 0;
  // That none of a thousand is counted happens once in 10²² runs.
  for (; sent < 1000 && (await counter()) === before; sent += 8) {
    await Promise.all(Array.from({ length: 8 }, () => modest.get('/organization')));
  }
  expect(sent).toBeLessThan(1000);
});

test('a member hears nothing of the limit where the role does not allow the call', async () => {
  const one = await provision();
  const [read, write] = await Promise.all([
    one.get('/leads', { role: 'viewer' }),
    one.post('/leads', {}, { role: 'viewer' }),
  ]);
  expect([read.status, write.status]).toEqual([200, 403]);
  expect([read, write].map(({ headers }) => headers.has('ratelimit'))).toEqual([true, false]);
});
