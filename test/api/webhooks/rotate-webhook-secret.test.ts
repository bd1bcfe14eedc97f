import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { provision } from '../../support/organization.ts';
import { arrived, hooked, quietWebhook, verified } from './hooks.ts';

test('after a rotation, messages are signed by the new secret and the one before, and by no older one', async () => {
  const hook = await hooked();
  const rotate = async () => (await hook.organization.post(`${hook.path}/secret`, undefined)).body;
  const [second, third] = [await rotate(), await rotate()];
  await hook.organization.lead();
  await arrived(hook, 1);
  const [message] = hook.receiver.received as [(typeof hook.receiver.received)[0]];
  expect(message.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const { secret } of [second, third]) {
    expect(verified(message, secret)).toEqual(JSON.parse(message.body));
  }
  expect(() => verified(message, hook.secret)).toThrow();
});

test('a rotation that is repeated with its key gives the secret again, while there is such a one', async () => {
  const organization = await provision();
  const path = await quietWebhook(organization);
  const headers = { 'idempotency-key': randomUUID() };
  const rotate = (options = {}) => organization.post(`${path}/secret`, undefined, options);
  const first = await rotate({ headers });
  expect([first.status, first.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
  await rotate();
  expect((await rotate({ headers })).body).toEqual(first.body);
  await rotate();
  expect((await rotate({ headers })).body).toEqual({ ...first.body, secret: null });
  const unknown = await organization.post(`/webhooks/${randomUUID()}/secret`, undefined);
  expect(outcome(unknown)).toBe('not_found');
});
