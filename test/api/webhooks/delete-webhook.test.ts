import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { quietWebhook } from './hooks.ts';

test('a webhook is deleted once, in the version that the client means', async () => {
  const organization = await provision();
  const [path, other] = [await quietWebhook(organization), await quietWebhook(organization)];
  await organization.patch(path, { description: 'A' });
  const match = { headers: { 'if-match': '"1"' } };
  expect(outcome(await organization.delete(path, match))).toBe('precondition_failed');
  expect(outcome(await organization.delete(other, match))).toBe(204);
  expect(outcome(await organization.delete(path))).toBe(204);
  expect(outcome(await organization.get(path))).toBe('not_found');
  expect(outcome(await organization.delete(path))).toBe('not_found');
});
