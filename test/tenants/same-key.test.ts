import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { routed } from '../support/api.ts';
import { openingWallet, spend } from '../support/billing.ts';
import { type Organization, provision } from '../support/organization.ts';
import { sampleOf, send } from './naming.ts';

let organizations: Organization[];

beforeAll(async () => {
  const people = await provision();
  const wallet = openingWallet(40, 22);
  organizations = [await provision(wallet, people), await provision(wallet, people)];
});

test.each(routed.filter(({ idempotent }) => idempotent))(
  '$id under one key in two organizations of the same people makes two things',
  async (operation) => {
    const key = { 'Idempotency-Key': randomUUID() };
    const replies = new Set<string>();
    for (const organization of organizations) {
      const sent = await sampleOf(operation, organization);
      const keyed = { ...sent, headers: { ...sent.headers, ...key } };
      const first = await send(operation, keyed);
      const again = await send(operation, keyed);
      expect(first.status).toBe(operation.response.status);
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      // No repeat has an API key.
      const expected = first.text.replace(/"key":"lsk_\w+"/, '"key":null');
      expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([expected, 'true']);
      replies.add(first.text || randomUUID());
    }
    // A PUT or DELETE may answer the same in both; that neither was a replay shows that each was done.
    if (!['PUT', 'DELETE'].includes(operation.method)) expect(replies.size).toBe(2);
  },
);

test('one event id spends stars in each of two organizations', async () => {
  const event_id = randomUUID();
  for (const status of [201, 200]) {
    for (const organization of organizations) {
      expect((await spend(organization, 3, { event_id })).status).toBe(status);
    }
  }
  for (const organization of organizations) {
    expect((await organization.get('/billing/balance')).body.total_stars).toBe(59);
  }
});
