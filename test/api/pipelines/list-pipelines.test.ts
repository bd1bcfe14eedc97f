import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';

test('all pipelines are listed whole, the oldest first, each as it is at once', async () => {
  const organization = await provision();
  const stages = [{ name: 'new', outcome: 'open' }];
  const pipelines = [(await organization.get(`/pipelines/${organization.pipelineId}`)).body];
  for (const name of ['C', 'A', 'B']) {
    pipelines.push((await organization.post('/pipelines', { name, stages })).body);
    const { body } = await organization.get('/pipelines');
    expect(body).toEqual({ items: pipelines, next_cursor: null });
  }
  const changed = await organization.patch(`/pipelines/${pipelines[1].id}`, { name: 'D' });
  const { items } = (await organization.get('/pipelines')).body;
  expect(items).toEqual(pipelines.toSpliced(1, 1, changed.body));
});
