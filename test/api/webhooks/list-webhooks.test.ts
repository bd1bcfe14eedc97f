import { expect, test } from 'vitest';
import { provision } from '../../support/organization.ts';
import { quiet } from './hooks.ts';

test('webhooks are listed without their secrets, the oldest first, whatever their status', async () => {
  const organization = await provision();
  const made: object[] = [];
  for (const description of ['first', 'second', 'third']) {
    const { body } = await organization.post('/webhooks', { ...quiet, description });
    const disabled = await organization.patch(`/webhooks/${body.id}`, { status: 'disabled' });
    made.push(disabled.body);
  }
  const { body } = await organization.get('/webhooks');
  expect(body).toEqual({ items: made, next_cursor: null });
});
