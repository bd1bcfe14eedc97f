import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ChangeType } from '../../../../lib/changes/change.ts';
import { readFeed } from '../../../../lib/changes/feed.ts';
import { openTable } from '../../../../lib/table/client.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { deliveryKind } from '../../../../lib/webhooks/delivery/delivery-log.ts';
import { mostWaiting, replayFrom } from '../../../../lib/webhooks/delivery/delivery-rules.ts';
import {
  leaseMs,
  postsAtOnce,
  sessionMs,
} from '../../../../lib/webhooks/delivery/delivery-session.ts';
import { toProgress } from '../../../../lib/webhooks/delivery/progress-item.ts';
import type { StoredWebhook } from '../../../../lib/webhooks/stored-webhook.ts';
import { updateWebhookWrites, type WebhookUpdate } from '../../../../lib/webhooks/writes.ts';
import { historyKey } from '../../../support/keys.ts';
import { commitIn } from '../../../support/origin.ts';
import { down, ok, World } from '../../../support/webhook-world.ts';
import { withVariable } from '../../support.ts';

const table = openTable();

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
const sorted = (sequences: number[]) => sequences.toSorted((a, b) => a - b);
const deliveriesOf = async ({ organizationId, webhookId }: World) => {
  const { items } = await table.query({
    kind: deliveryKind,
    condition: 'pk = :pk',
    values: { ':pk': deliveryKind.partition({ organizationId, webhookId }) },
    limit: 10,
  });
  return items.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
};

/** A change of its owner's. */
const update = async (
  world: World,
  change: (item: StoredWebhook) => Omit<WebhookUpdate, 'now'>,
) => {
  const item = (await world.item)!;
  const update = { ...change(item), now: world.now };
  await commitIn(table)(updateWebhookWrites(world.organizationId, item, update));
};

/** For how long the wakes wait that were sent since the last look. */
const takeDelays = (world: World) => world.wakes.splice(0).map(({ delay }) => delay);

describe('a run', () => {
  test('posts leads side by side, each one’s changes one after another in their order', async () => {
    const world = await World.with(table, 30, 4);
    world.answer = async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      return ok;
    };
    await world.work();
    expect(sorted(world.sequences)).toEqual(upTo(120));
    const byLead = Map.groupBy(world.posted, ({ lead_id }) => lead_id);
    for (const changes of byLead.values()) {
      const order = changes.map(({ sequence }) => sequence);
      expect(order).toEqual(sorted(order));
    }
    expect([world.most, world.doubled]).toEqual([postsAtOnce, false]);
    expect(await world.item).toMatchObject({ checkpoint: 120, done: [], waiting: [] });
    expect(await world.item).not.toHaveProperty('lease_token');
    // Nothing is left to look at.
    await world.work();
    expect([world.posted.length, world.wakes, world.open]).toEqual([120, [], 0]);
  });

  test('begins no post when its time is over, has a wake look at the rest, and posts nothing twice', async () => {
    const world = await World.with(table, 1, 2);
    await world.change([randomUUID()], 1);
    world.answer = ({ sequence }) => {
      if (sequence === 1) world.now += sessionMs;
      return ok;
    };
    await world.work();
    // 2 had to wait for 1, of the same lead.
    expect(world.sequences).toEqual([1, 3]);
    expect(await world.item).toMatchObject({ checkpoint: 1, done: [3] });
    const wake = {
      organization_id: world.organizationId,
      consumer: 'webhooks',
      id: world.webhookId,
    };
    expect(world.wakes).toEqual([{ wake, delay: 0 }]);
    await world.work();
    expect(world.sequences).toEqual([1, 3, 2]);
    expect(await world.item).toMatchObject({ checkpoint: 3, done: [] });
  });

  test('keeps what is new waiting for no more than its turn, however much has failed', async () => {
    const world = await World.with(table, 30, 1);
    // Never ten in a row.
    world.answer = ({ sequence }) => (sequence % 2 ? down : ok);
    await world.work();
    expect((await world.item)?.waiting).toHaveLength(15);
    const before = world.posted.length;
    await world.change(
      [1, 2, 3, 4, 5].map(() => randomUUID()),
      1,
    );
    world.now += 5000;
    world.answer = () => ok;
    await world.work();
    const first = world.sequences.slice(before, before + postsAtOnce);
    expect(first.filter((sequence) => sequence > 30)).toHaveLength(5);
  });

  test('writes down each attempt for 30 days, and what it gives up to make room, with no answer', async () => {
    const world = await World.with(table, 3, 1);
    const expires_at = world.now / 1000 + 30 * 24 * 60 * 60;
    const due = world.now + 60_000;
    // 3 has failed most often. There are no changes of the other numbers, and none is due.
    const waiting = upTo(mostWaiting).map((n) => ({
      sequence: n + 2,
      attempts: n === 1 ? 4 : 1,
      due,
    }));
    await update(world, (item) => ({
      set: {},
      progress: { ...toProgress(item), done: [3], waiting },
    }));
    world.answer = ({ sequence }) => (sequence === 1 ? down : ok);
    await world.work();
    expect(sorted(world.sequences)).toEqual([1, 2]);
    expect(await world.item).toMatchObject({ given_up: 1, status: 'active' });
    expect((await world.item)?.waiting).toHaveLength(mostWaiting);
    const { items } = await readFeed(table, world.organizationId, { after: 2, limit: 1 });
    const { event_id, type } = items[0]!.change;
    expect(await deliveriesOf(world)).toMatchObject([
      { sequence: 1, attempt: 1, outcome: 'failed', status: 500, expires_at },
      { sequence: 2, attempt: 1, outcome: 'delivered', status: 200, expires_at },
      { sequence: 3, attempt: 4, outcome: 'given_up', status: null, error: null, event_id, type },
    ]);
  });

  test('posts nothing of a lead that was erased while it waited for its turn', async () => {
    const world = await World.with(table, 1, 2);
    world.answer = async ({ sequence, lead_id }) => {
      if (sequence === 1) {
        world.now += 1500;
        const Key = historyKey(world.organizationId, lead_id, 2);
        const UpdateExpression = 'SET erased = :true';
        const ExpressionAttributeValues = { ':true': true };
        await table.transact([{ Update: { Key, UpdateExpression, ExpressionAttributeValues } }]);
      }
      return ok;
    };
    await world.work();
    expect(world.posted).toMatchObject([{ sequence: 1 }, { sequence: 2, erased: true }]);
    expect(world.posted[0]).not.toHaveProperty('erased');
  });

  test.each([
    ['is active', 1],
    ['is paused', 10],
  ])(
    'posts nothing again of a type that its owner no longer asks for, where it %s',
    async (_, failed) => {
      const world = await World.with(table, failed, 1);
      world.answer = () => down;
      await world.work();
      expect((await world.item)?.waiting).toHaveLength(failed);
      world.answer = () => ok;
      const ask = async (types: ChangeType[]) => {
        await update(world, () => ({ set: { types } }));
        world.now += 60 * 60 * 1000;
        const before = world.posted.length;
        for (let i = 0; i < failed; i++) await world.work();
        return world.posted.length - before;
      };
      expect(await ask(['lead.deleted'])).toBe(0);
      expect(await world.item).toMatchObject({ waiting: [], given_up: 0 });
      // Neither with what is new, nor where it is asked for again.
      await world.change([randomUUID()], 1);
      expect(await ask(['lead.deleted'])).toBe(0);
      expect(await ask(['lead.updated'])).toBe(0);
      await world.change([randomUUID()], 1);
      expect(await ask(['lead.updated'])).toBe(1);
      expect(await world.item).toMatchObject({ status: 'active', waiting: [] });
    },
  );

  test('that comes early by a clock that is ahead has what waits looked at when it is due', async () => {
    const world = await World.with(table, 1, 1);
    world.answer = () => down;
    await world.work();
    expect(takeDelays(world)).toEqual([5000]);
    // What is due later than in four seconds has its wake already.
    for (const [passedMs, delays] of [
      [999, []],
      [1, [4000]],
      [2000, [2000]],
    ] as const) {
      world.now += passedMs;
      await world.work();
      expect(takeDelays(world)).toEqual(delays);
    }
    // Also where there is something else to do.
    await world.change([randomUUID()], 1);
    world.answer = () => ok;
    await world.work();
    expect(takeDelays(world)).toEqual([2000]);
    world.now += 2000;
    await world.work();
    expect([world.sequences, world.wakes]).toEqual([[1, 2, 1], []]);
    const attempts = (await deliveriesOf(world)).map(({ attempt }) => attempt);
    expect(attempts).toEqual([1, 2, 1]);
  });

  test('ends where the index does not show the next change yet, and looks again a moment later', async () => {
    const world = await World.with(table, 3, 1);
    world.step = async ({ operation }, pass) => {
      const page = await pass();
      if (operation !== 'Query') return page;
      return { ...page, Items: page.Items.filter(({ sequence }: Item) => sequence !== 1) };
    };
    await world.work();
    expect([world.posted, takeDelays(world)]).toEqual([[], [1000]]);
    world.step = (_, pass) => pass();
    await world.work();
    expect(sorted(world.sequences)).toEqual([1, 2, 3]);
  });

  test('that fails is told to its queue, which gives it again', async () => {
    const world = await World.with(table, 1, 1);
    world.step = ({ operation }, pass) =>
      operation === 'TransactWrite' ? Promise.reject(new Error('no answer')) : pass();
    await expect(world.work()).rejects.toMatchObject({ code: 'unavailable' });
    expect([world.posted, world.open]).toEqual([[], 0]);
  });

  test('leaves a webhook to the worker that has it, which looks again before it ends', async () => {
    const world = await World.with(table, 1, 1);
    world.answer = async () => {
      if (world.posted.length > 1) return ok;
      // Meanwhile there is something new, with its wake: to another worker, which leaves it.
      await world.change([randomUUID()], 1);
      await world.work();
      return ok;
    };
    await world.work();
    expect([world.sequences, takeDelays(world)]).toEqual([[1], [0]]);
    await world.work();
    expect(world.sequences).toEqual([1, 2]);
  });
});

test('of two workers at once, one has the webhook', async () => {
  const world = await World.with(table, 5, 2);
  await Promise.all([world.work(), world.work()]);
  expect(sorted(world.sequences)).toEqual(upTo(10));
});

test('what the owner changes stands, whatever a worker that has the webhook makes of its posts', async () => {
  const world = await World.with(table, 1, 3);
  world.answer = async ({ sequence }) => {
    if (sequence === 3) {
      await update(world, (item) => ({ set: {}, progress: replayFrom(toProgress(item), 1) }));
    }
    return ok;
  };
  await world.work();
  expect(world.sequences).toEqual([1, 2, 3]);
  expect(await world.item).toMatchObject({ checkpoint: 1, version: 2 });
  world.answer = () => ok;
  await world.work();
  expect(world.sequences).toEqual([1, 2, 3, 2, 3]);
});

/** On a busy machine. */
const patience = { timeout: 50_000 };

/** Begins to work, and waits for an answer to its first post: that is given by calling this. */
const startWork = async (world: World) => {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<World['answer']>>>();
  world.answer = () => promise;
  const working = world.work();
  await expect.poll(() => world.posted.length, patience).toBe(1);
  world.answer = () => ok;
  return (answer: Parameters<typeof resolve>[0]) => {
    resolve(answer);
    return working;
  };
};

test('a worker that waits for an answer keeps its lease', async () => {
  const world = await World.with(table, 1, 1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = await startWork(world);
  world.now += 4000;
  // It looks at the clock again each second.
  await vi.advanceTimersByTimeAsync(1000);
  const until = async () => (await world.item)?.lease_until;
  await expect.poll(until, patience).toBe(world.now + leaseMs);
  await answer(ok);
});

describe('a worker that dies', () => {
  test('has its webhook taken over when the lease has ended, and not before', async () => {
    const world = await World.with(table, 1, 1);
    await startWork(world);
    world.atOnce = [];
    world.now += leaseMs - 1;
    // Its message comes again: the wake is put back for when the lease has ended.
    await world.work(true);
    expect(world.posted).toHaveLength(1);
    expect(takeDelays(world)).toEqual([1001]);
    world.now += 1;
    await world.work();
    expect(world.sequences).toEqual([1, 1]);
    expect(await world.item).toMatchObject({ checkpoint: 1 });
  });

  test('writes nothing any more if it was only late', async () => {
    const world = await World.with(table, 1, 1);
    const answer = await startWork(world);
    world.atOnce = [];
    world.now += leaseMs + 1;
    await world.work();
    const after = await world.item;
    await answer(down);
    expect(await world.item).toEqual(after);
    expect(after).toMatchObject({ checkpoint: 1, waiting: [] });
  });
});

describe('an endpoint that is down', () => {
  const workWhenDue = async (world: World) => {
    world.now = Number((await world.item)?.due_at);
    await world.work();
  };

  test('gets everything when it is back, once it takes one: what is new, or what waits', async () => {
    const world = await World.with(table, 11, 1);
    world.answer = () => down;
    await world.work();
    expect(await world.item).toMatchObject({ status: 'paused' });
    const before = world.posted.length;
    for (let probes = 0; probes < 2; probes++) await workWhenDue(world);
    expect(world.sequences.slice(before)).toEqual([11, expect.any(Number)]);
    world.answer = () => ok;
    await workWhenDue(world);
    expect(sorted(world.sequences.slice(before + 2))).toEqual(upTo(11));
    expect(await world.item).toMatchObject({ status: 'active', checkpoint: 11, waiting: [] });
  });
});

test('in a table that was restored, a webhook waits for its owner', async () => {
  const world = await World.with(table, 1, 1);
  await withVariable('TABLE_IDENTITY', 'a restored one', async () => {
    await world.work();
    expect(await world.item).toMatchObject({ status: 'disabled', checkpoint: 0 });
    expect(world.posted).toEqual([]);
  });
});
