import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { dueKind } from '../../../lib/consumers/due-times.ts';
import { openTable } from '../../../lib/table/client.ts';
import { ConflictError } from '../../../lib/table/retry.ts';
import { newProgress, resume } from '../../../lib/webhooks/delivery/delivery-rules.ts';
import { dueIdsOf } from '../../../lib/webhooks/delivery/next-work.ts';
import { progressAttributes, toProgress } from '../../../lib/webhooks/delivery/progress-item.ts';
import { newSecret } from '../../../lib/webhooks/endpoint/secrets.ts';
import type { StoredWebhook } from '../../../lib/webhooks/stored-webhook.ts';
import { newWebhook, toWebhookUpdate, webhookPatch } from '../../../lib/webhooks/webhook.ts';
import {
  applyUpdate,
  deleteWebhookWrites,
  testWebhookWrites,
  updateWebhookWrites,
} from '../../../lib/webhooks/writes.ts';
import { commitIn } from '../../support/origin.ts';
import { World } from '../../support/webhook-world.ts';
import '../support.ts';

const table = openTable();
const commit = commitIn(table);
const hour = 60 * 60 * 1000;

type Status = 'active' | 'paused' | 'disabled';
const updateOf = (item: StoredWebhook, patch: { status?: Status; url?: string }, now: number) =>
  toWebhookUpdate(item, z.parse(webhookPatch, patch), now);

describe('what was decided before', () => {
  const describedAs = (world: World, item: StoredWebhook, description: string) =>
    updateWebhookWrites(world.organizationId, item, { set: { description }, now: world.now });
  const resumed = ({ organizationId, now }: World, item: StoredWebhook) =>
    updateWebhookWrites(organizationId, item, {
      set: {},
      progress: resume(toProgress(item), now),
      now,
    });
  const tested = ({ organizationId, webhookId, now }: World, item: StoredWebhook) =>
    testWebhookWrites(organizationId, item, webhookId, now);

  test('another change of the owner’s is refused, also a deletion and a test', async () => {
    const world = await World.with(table, 0, 0);
    const before = (await world.item)!;
    await commit(describedAs(world, before, 'first'));
    for (const late of [
      describedAs(world, before, 'late'),
      resumed(world, before),
      tested(world, before),
      deleteWebhookWrites(world.organizationId, world.webhookId, before, world.now),
    ]) {
      await expect(commit(late)).rejects.toBeInstanceOf(ConflictError);
    }
    expect(await world.item).toMatchObject({ description: 'first', version: 2, tests: {} });
  });

  test('a worker’s progress is refused where it says the progress, and only there', async () => {
    const world = await World.with(table, 2, 1);
    const before = (await world.item)!;
    await world.work();
    for (const late of [resumed(world, before), tested(world, before)]) {
      await expect(commit(late)).rejects.toBeInstanceOf(ConflictError);
    }
    await commit(describedAs(world, before, 'in time'));
    expect(await world.item).toMatchObject({ description: 'in time', checkpoint: 2 });
  });
});

describe('a webhook is due', () => {
  const dueAt = async ({ organizationId, webhookId, item }: World) => [
    (await item)?.due_at,
    (await table.get(dueKind.key(dueIdsOf(organizationId, webhookId))))?.due_at,
  ];
  const set = async (world: World, status: Status) => {
    const item = (await world.item)!;
    const update = updateOf(item, { status }, world.now);
    await commit(updateWebhookWrites(world.organizationId, item, update));
  };

  test('before a worker looks at it, as it is made and as it is set active', async () => {
    const world = await World.with(table, 0, 0);
    const isDue = async (time: number) => expect(await dueAt(world)).toEqual([time, time]);
    await isDue(world.now + hour);
    await set(world, 'disabled');
    await world.work();
    expect(await dueAt(world)).toEqual([undefined, undefined]);
    world.now += hour;
    await set(world, 'active');
    await isDue(world.now + hour);
    // It is due then already.
    world.now += 1;
    await set(world, 'disabled');
    await set(world, 'active');
    await isDue(world.now - 1 + hour);
  });

  test('at once when it is set active, though it waits for its next probe for hours', async () => {
    const world = await World.with(table, 1, 1);
    const tomorrow = world.now + 24 * hour;
    const waiting = [{ sequence: 1, attempts: 1, due: tomorrow }];
    const paused = { ...newProgress(1), status: 'paused' as const, waiting };
    const update = { set: {}, progress: { ...paused, backoffUntil: tomorrow }, now: world.now };
    await commit(updateWebhookWrites(world.organizationId, (await world.item)!, update));
    await world.work();
    expect(await dueAt(world)).toEqual([tomorrow, tomorrow]);
    await set(world, 'active');
    expect(await dueAt(world)).toEqual([world.now, world.now]);
  });

  test('no more once it is deleted', async () => {
    const world = await World.with(table, 1, 1);
    await world.work();
    const { organizationId, webhookId } = world;
    const item = (await world.item)!;
    expect(await dueAt(world)).not.toContain(undefined);
    await commit(deleteWebhookWrites(organizationId, webhookId, item, world.now));
    expect([await world.item, ...(await dueAt(world))]).toEqual([undefined, undefined, undefined]);
  });
});

describe('a patch', () => {
  const now = Date.parse('2026-11-22T00:00:00Z');
  const waiting = [{ sequence: 1, attempts: 1, due: now + 60_000 }];
  const url = 'https://old.example.com/';
  const backoffUntil = now + 60_000;
  const item = (status: Status) => ({
    ...newWebhook('o', 'w', {
      input: { url },
      userId: 'u',
      checkpoint: 1,
      feedId: 'f',
      secret: newSecret(now),
      now,
    }),
    ...progressAttributes({ ...newProgress(1), status, waiting, failures: 9, backoffUntil }),
  });

  test('to what its status is already hurries nothing that waits', () => {
    expect(updateOf(item('active'), { status: 'active' }, now)).toEqual({ set: {}, now });
    const { progress } = updateOf(item('paused'), { status: 'active' }, now);
    expect(progress).toMatchObject({ status: 'active', waiting: [{ due: now }] });
  });

  test('ends what holds it as `disabled` and then `active`, but not as one of these', () => {
    const patched = (before: StoredWebhook, status: Status) =>
      applyUpdate(before, updateOf(before, { status }, now));
    const held = item('active');
    const disabled = patched(held, 'disabled');
    for (const one of [disabled, patched(held, 'active')]) {
      expect(one.backoff_until).toBe(now + 60_000);
    }
    expect(patched(disabled, 'active')).toMatchObject({ backoff_until: 0, status: 'active' });
  });

  test('to another address tries all at once, unless it is disabled', () => {
    const moved = { url: 'https://new.example.com/' };
    const atOnce = { status: 'active', backoffUntil: 0, failures: 0, waiting: [{ due: now }] };
    for (const status of ['active', 'paused'] as const) {
      expect(updateOf(item(status), moved, now).progress).toMatchObject(atOnce);
    }
    expect(updateOf(item('disabled'), moved, now).progress).toBeUndefined();
    expect(updateOf(item('active'), { url }, now).progress).toBeUndefined();
  });

  test('never sets the time of its change back', () => {
    const at = (milliseconds: number) =>
      applyUpdate(item('active'), { set: {}, now: now + milliseconds }).updated_at;
    expect([at(-5000), at(5000)]).toEqual(['2026-11-22T00:00:00.000Z', '2026-11-22T00:00:05.000Z']);
  });
});
