import { beforeAll, describe, expect, inject, test } from 'vitest';
import { addToCounter, setPerSecond } from '../../../lib/organizations/request-counter.ts';
import {
  burstSeconds,
  leastPerSecond,
  tolerance,
} from '../../../lib/organizations/request-limit.ts';
import { createClient } from '../../../packages/client/src/index.ts';
import type { Answer } from '../../support/api.ts';
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

/** Sends requests, sixteen at a time, until one is refused; gives up after so many. */
const sendUntilRefused = async (one: Organization, most: number): Promise<Answer[]> => {
  const answers: Answer[] = [];
  const send = async () => {
    while (answers.length < most && answers.at(-1)?.status !== 429) {
      answers.push(await one.get('/organization'));
    }
  };
  await Promise.all(Array.from({ length: 16 }, send));
  return answers;
};

describe('an organization that sends more than its limit', () => {
  test('is refused, while one with the same limit that keeps it notices nothing', async () => {
    const [greedy, modest] = organizations as [Organization, Organization];
    const answers = await sendUntilRefused(greedy, 2000);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('rate_limited');
    expect(refused?.headers.get('ratelimit-policy')).toBe('"organization";q=20;w=2');
    expect(refused?.headers.get('ratelimit')).toMatch(/^"organization";r=0;t=\d+$/);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    // Burst and tolerance got through, less what the samples of three environments may err.
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(60);
    for (let i = 0; i < 10; i++) {
      const answer = await modest.get('/organization');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit')).toMatch(/^"organization";r=\d+;t=\d+$/);
    }
  });
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
  const most = leastPerSecond * burstSeconds + tolerance;
  // A second's worth of requests too many, but for one.
  const milliseconds = ((most + leastPerSecond - 1) / leastPerSecond) * 1000;
  await addToCounter(table, id, milliseconds, { clearAt: 0 });
  const answers: { at: number; status: number }[] = [];
  const client = createClient({
    baseUrl,
    organizationId: id,
    token: tokens.owner,
    retry: { firstDelayMs: 1 },
    fetch: async (request) => {
      const response = await fetch(request);
      answers.push({ at: Date.now(), status: response.status });
      return response;
    },
  });
  expect((await client.get('/organization')).data.id).toBe(id);
  expect(answers.map(({ status }) => status)).toEqual([429, 200]);
  expect(answers[1]!.at - answers[0]!.at).toBeGreaterThanOrEqual(1000);
});
