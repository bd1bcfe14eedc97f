import { beforeAll, describe, expect, inject, test } from 'vitest';
import { setPerSecond } from '../../../lib/organizations/request-counter.ts';
import { leastPerSecond } from '../../../lib/organizations/request-limit.ts';
import type { Answer } from '../../support/api.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { openTableAt } from '../../support/table.ts';

// The rules are in test/unit/request-limit.test.ts and limited.test.ts. Here they go through the front door.

const { tableEndpoint, tableName } = inject('service');
let organizations: Organization[];

beforeAll(async () => {
  organizations = [await provision(), await provision()];
  const table = openTableAt(tableEndpoint, tableName);
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
