import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

// What only a batch takes: values that are not looked into before its leads are.

test('however much is wrong with a batch, it is answered, and so is its repeat', async () => {
  const organization = await provision();
  const names = (lead: number) =>
    Array.from({ length: 25 }, (_, i) => [`${'\u0001'.repeat(90)}${lead} ${i}`, 1]);
  const body = { leads: Array.from({ length: 100 }, (_, i) => Object.fromEntries(names(i))) };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const first = await organization.post('/leads/batch', body, { headers });
  const again = await organization.post('/leads/batch', body, { headers });
  expect(first.body.items.map((item: { status: number }) => item.status)).toEqual(
    Array(100).fill(400),
  );
  expect([again.status, again.body]).toEqual([200, first.body]);
});

test('a number that would be rounded is refused beside any depth', async () => {
  const organization = await provision();
  const lead = `{"contact_name":"x","pipeline_id":"${organization.pipelineId}","value_cents":`;
  for (let depth = 1000; depth <= 10_000; depth += 250) {
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    const answer = await organization.post(
      '/leads/batch',
      `{"leads":[${lead}0.99999999999999999},${deep}]}`,
    );
    expect([depth, answer.status]).toEqual([depth, 400]);
  }
});
