import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

// The sums of any leads are tested in test/api/leads/any-sequence.test.ts, of many at once in
// test/faults/transaction-conflicts.test.ts.

const summary = (organization: Organization, id = organization.pipelineId) =>
  organization.get(`/pipelines/${id}/summary`);

test('a summary has every stage in order, with what it has at once', async () => {
  const stages = [
    { name: 'zeta', outcome: 'open' },
    { name: 'alpha', outcome: 'won' },
  ];
  const organization = await provision({
    pipelines: [
      { name: 'A', stages, default_stage: 'alpha' },
      { name: 'B', stages },
    ],
  });
  const [a, b] = organization.pipelines.map(({ id }) => id) as [string, string];
  const none = { leads: 0, value_cents: 0 };
  const [zeta, alpha] = stages.map((stage) => ({ ...stage, ...none }));
  const empty = { ...none, currency: 'USD', stages: [zeta, alpha] };
  expect((await summary(organization)).body).toEqual({ pipeline_id: a, ...empty });
  for (const value_cents of [1, null, 20]) await organization.lead({ value_cents });
  const sums = { leads: 3, value_cents: 21 };
  const filled = { ...sums, currency: 'USD', stages: [zeta, { ...alpha, ...sums }] };
  expect((await summary(organization)).body).toEqual({ pipeline_id: a, ...filled });
  expect((await summary(organization, b)).body).toEqual({ pipeline_id: b, ...empty });
});

test('sums of values keep all their digits, also beyond what a JavaScript number holds', async () => {
  const organization = await provision();
  const most = 2n ** 53n - 1n;
  for (let i = 0; i < 3; i++) await organization.lead({ value_cents: Number(most) });
  const { text } = await summary(organization);
  const written = [...text.matchAll(/"value_cents":(\d+)/g)].map(([, digits]) => digits);
  const sum = String(3n * most);
  expect(written).toEqual([sum, '0', '0', '0', '0', sum]);
});
