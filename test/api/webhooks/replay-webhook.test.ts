import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { outcome } from '../../support/api.ts';
import { arrived, bySequence, feedOf, hooked, webhookWhere } from './hooks.ts';

test('a replay posts the same messages once more, from anywhere in the feed', async () => {
  const hook = await hooked();
  const { organization, path, receiver, start } = hook;
  const last = start + 3;
  for (let i = 0; i < 3; i++) await organization.lead();
  await arrived(hook, 3);
  await webhookWhere(hook, { checkpoint: last });
  const replay = (after: unknown) => organization.post(`${path}/replay`, { after });
  const feed = await feedOf(hook);
  const { feed_id } = feed[0]!;
  const message = `must be at most ${last}, the number of the last change`;
  const beyond = { path: 'after', message, last_sequence: last, feed_id };
  expect((await replay(last + 1)).body.error.details).toEqual([beyond]);
  for (const after of [-1, null]) {
    expect((await replay(after)).body.error.details).toMatchObject([{ path: 'after' }]);
  }
  expect((await replay(last)).body.checkpoint).toBe(last);
  expect((await replay(start + 1)).body.checkpoint).toBe(start + 1);
  await arrived(hook, 5);
  expect(bySequence(receiver.bodies.slice(3))).toEqual(feed.slice(1));
  const unknown = await organization.post(`/webhooks/${randomUUID()}/replay`, { after: 0 });
  expect(outcome(unknown)).toBe('not_found');
});
