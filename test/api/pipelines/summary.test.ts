import { expect, test } from 'vitest';
import { type Organization, provision } from '../../support/organization.ts';

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
  const [zeta, alpha] = stages.map((stage) => ({ ...stage, leads: 0, value_cents: 0 }));
  const empty = { pipeline_id: organization.pipelineId, leads: 0, value_cents: 0 };
  expect((await summary(organization)).body).toEqual({ ...empty, stages: [zeta, alpha] });

  let value_cents = 0;
  for (const [i, value] of [1, 20, null, 300].entries()) {
    await organization.lead({ value_cents: value });
    const leads = i + 1;
    value_cents += value ?? 0;
    expect((await summary(organization)).body).toEqual({
      pipeline_id: organization.pipelineId,
      stages: [zeta, { ...alpha, leads, value_cents }],
      leads,
      value_cents,
    });
  }
  const other = organization.pipelines[1]!.id;
  expect((await summary(organization, other)).body).toMatchObject({ leads: 0, value_cents: 0 });
});

test('30 leads created at once are all counted', async () => {
  const organization = await provision();
  await Promise.all(Array.from({ length: 30 }, () => organization.lead({ value_cents: 7 })));
  expect((await summary(organization)).body).toMatchObject({ leads: 30, value_cents: 210 });
});

test('sums keep all their digits, also beyond what a JavaScript number holds', async () => {
  const organization = await provision();
  const most = 2n ** 53n - 1n;
  for (const count of [1n, 2n, 3n]) {
    await organization.lead({ value_cents: Number(most) });
    const { text } = await summary(organization);
    const written = [...text.matchAll(/"value_cents":(\d+)/g)].map(([, digits]) => digits);
    const sum = String(count * most);
    expect(written).toEqual([sum, '0', '0', '0', '0', sum]);
  }
});
