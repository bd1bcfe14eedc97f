import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

// Every limit of its fields is in test/unit/pipelines/pipeline.test.ts.

test('a pipeline comes back exactly as it was sent', async () => {
  const organization = await provision();
  const sent = {
    name: ' Ação \u{1F680} ',
    stages: [
      { name: 'b#1', outcome: 'open' },
      { name: 'a', outcome: 'lost' },
      { name: 'A', outcome: 'won' },
    ],
    default_stage: 'a',
    unique_contact: ['phone', 'email'],
  };
  const made = await organization.post('/pipelines', sent);
  expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
  expect(made.body).toMatchObject(sent);
  expect(made.body.updated_at).toBe(made.body.created_at);
  expect((await organization.lead({ pipeline_id: made.body.id })).stage).toBe('a');
});

test('a pipeline without more than it must have has its first stage as default, and leads unique by email', async () => {
  const organization = await provision();
  const stages = ['x', 'y'].map((name) => ({ name, outcome: 'open' }));
  const { body } = await organization.post('/pipelines', { name: 'P', stages });
  expect(body).toMatchObject({ default_stage: 'x', unique_contact: ['email'] });
});
