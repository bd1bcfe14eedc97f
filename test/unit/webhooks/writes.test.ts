import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openTable } from '../../../lib/table/client.ts';
import { dueKey } from '../../../lib/table/keys.ts';
import { ConflictError } from '../../../lib/table/retry.ts';
import type { Item } from '../../../lib/table/table.ts';
import { newProgress, resume } from '../../../lib/webhooks/delivery/delivery-rules.ts';
import { progressAttributes, toProgress } from '../../../lib/webhooks/delivery/progress-item.ts';
import { toWebhookUpdate, webhookPatch } from '../../../lib/webhooks/webhook.ts';
import {
  applyUpdate,
  deleteWrites,
  testWrites,
  updateWrites,
} from '../../../lib/webhooks/writes.ts';
import { World } from '../../support/webhook-world.ts';
import '../support.ts';

const table = openTable();
const hour = 60 * 60 * 1000;

describe('what was decided before', () => {
  const description = (text: string, { now }: World) => ({ set: { description: text }, now });
  const withProgress = (item: Item, { now }: World) => ({
    set: {},
    progress: resume(toProgress(item), now),
    now,
  });

  test('another change of the owner’s is refused, also a deletion and a test', async () => {
    const world = await World.with(table, 0, 0);
    const { organizationId: id, webhookId, now } = world;
    const before = (await world.item)!;
    await table.transact(updateWrites(id, before, description('first', world)));
    for (const late of [
      updateWrites(id, before, description('late', world)),
      updateWrites(id, before, withProgress(before, world)),
      testWrites(id, before, webhookId, now),
      deleteWrites(id, webhookId, before),
    ]) {
      await expect(table.transact(late)).rejects.toBeInstanceOf(ConflictError);
    }
    expect(await world.item).toMatchObject({ description: 'first', version: 2, tests: {} });
  });

  test('a worker’s progress is refused where it says the progress, and only there', async () => {
    const world = await World.with(table, 2, 1);
    const { organizationId: id, webhookId, now } = world;
    const before = (await world.item)!;
    await world.work();
    for (const late of [
      updateWrites(id, before, withProgress(before, world)),
      testWrites(id, before, webhookId, now),
    ]) {
      await expect(table.transact(late)).rejects.toBeInstanceOf(ConflictError);
    }
    await table.transact(updateWrites(id, before, description('in time', world)));
    expect(await world.item).toMatchObject({ description: 'in time', checkpoint: 2 });
  });
});

test('a webhook that is deleted is not looked at any more', async () => {
  const world = await World.with(table, 1, 1);
  await world.work();
  const due = dueKey(world.organizationId, world.webhookId);
  expect(await table.get(due)).toBeDefined();
  const writes = deleteWrites(world.organizationId, world.webhookId, (await world.item)!);
  await table.transact(writes);
  expect([await world.item, await table.get(due)]).toEqual([undefined, undefined]);
});

test('a webhook is due before a worker looks at it, as it is made and as it is set active', async () => {
  const world = await World.with(table, 0, 0);
  const { organizationId: id, webhookId, now } = world;
  const key = dueKey(id, webhookId);
  const dueAt = async () => [(await world.item)?.due_at, (await table.get(key))?.due_at];
  expect(await dueAt()).toEqual([now + hour, now + hour]);
  const set = async (status: 'active' | 'disabled') => {
    const item = (await world.item)!;
    const patch = z.parse(webhookPatch, { status });
    await table.transact(updateWrites(id, item, toWebhookUpdate(item, patch, world.now)));
  };
  await set('disabled');
  await world.work();
  expect(await dueAt()).toEqual([undefined, undefined]);
  world.now += hour;
  await set('active');
  expect(await dueAt()).toEqual([world.now + hour, world.now + hour]);
  // It is due then already.
  world.now += 1;
  await set('disabled');
  await set('active');
  expect(await dueAt()).toEqual([world.now - 1 + hour, world.now - 1 + hour]);
});

test('a webhook that waits for its next probe for hours is due at once when it is set active', async () => {
  const world = await World.with(table, 1, 1);
  const { organizationId: id, webhookId } = world;
  const tomorrow = world.now + 24 * hour;
  const waiting = [{ sequence: 1, attempts: 1, due: tomorrow }];
  const progress = {
    ...newProgress(1),
    status: 'paused' as const,
    waiting,
    backoffUntil: tomorrow,
  };
  await table.transact(
    updateWrites(id, (await world.item)!, { set: {}, progress, now: world.now }),
  );
  await world.work();
  const key = dueKey(id, webhookId);
  expect((await table.get(key))?.due_at).toBe(tomorrow);
  const patch = z.parse(webhookPatch, { status: 'active' });
  const item = (await world.item)!;
  await table.transact(updateWrites(id, item, toWebhookUpdate(item, patch, world.now)));
  expect([(await world.item)?.due_at, (await table.get(key))?.due_at]).toEqual([
    world.now,
    world.now,
  ]);
});

describe('a patch', () => {
  const now = Date.parse('2026-11-22T00:00:00Z');
  const waiting = [{ sequence: 1, attempts: 1, due: now + 60_000 }];
  const url = 'https://old.example.com/';
  const item = (status: 'active' | 'paused' | 'disabled') => ({
    ...progressAttributes({ ...newProgress(1), status, waiting }),
    url,
    version: 3,
    updated_at: new Date(now).toISOString(),
  });

  test('to what its status is already hurries nothing that waits', () => {
    const patch = z.parse(webhookPatch, { status: 'active' });
    expect(toWebhookUpdate(item('active'), patch, now)).toEqual({ set: {}, now });
    const { progress } = toWebhookUpdate(item('paused'), patch, now);
    expect(progress).toMatchObject({ status: 'active', waiting: [{ due: now }] });
  });

  test('ends what holds it as `disabled` and then `active`, but not as one of these', () => {
    const progressWith = (before: Item, given: object) =>
      applyUpdate(before, toWebhookUpdate(before, z.parse(webhookPatch, given), now));
    const held = { ...item('active'), backoff_until: now + 60_000 };
    const disabled = progressWith(held, { status: 'disabled' });
    for (const one of [disabled, progressWith(held, { status: 'active' })]) {
      expect(one.backoff_until).toBe(now + 60_000);
    }
    const active = progressWith(disabled, { status: 'active' });
    expect(active).toMatchObject({ backoff_until: 0, status: 'active' });
  });

  test('to another address tries all at once, unless it is disabled', () => {
    const moveUrl = (status: 'active' | 'paused' | 'disabled', to = 'https://new.example.com/') => {
      const before = { ...item(status), backoff_until: now + 60_000, failures: 9 };
      const { progress } = toWebhookUpdate(before, z.parse(webhookPatch, { url: to }), now);
      return progress;
    };
    for (const status of ['active', 'paused'] as const) {
      expect(moveUrl(status)).toMatchObject({
        status: 'active',
        backoffUntil: 0,
        failures: 0,
        waiting: [{ due: now }],
      });
    }
    expect(moveUrl('disabled')).toBeUndefined();
    expect(moveUrl('active', url)).toBeUndefined();
  });

  test('never sets the time of its change back', () => {
    const at = (milliseconds: number) =>
      applyUpdate(item('active'), { set: {}, now: now + milliseconds }).updated_at;
    expect([at(-5000), at(5000)]).toEqual(['2026-11-22T00:00:00.000Z', '2026-11-22T00:00:05.000Z']);
  });
});
