import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openTable, type TableClient } from '../../../lib/table/client.ts';
import { absent, type Condition, present } from '../../../lib/table/condition.ts';
import { Kind } from '../../../lib/table/kind.ts';
import { type Key, Place } from '../../../lib/table/place.ts';
import { type Failure, failures, jsonReply } from '../../support/faults/failure-replies.ts';
import type { Step } from '../../support/faults/step.ts';
import { withSteps } from '../support.ts';

// What writes count as whose units DynamoDB does not tell. How much that is, is in units.test.ts.

const key = (): Key => ({ pk: randomUUID(), sk: 's' });
/** With its key nearly 10 KiB, which are twenty units in a transaction. */
const large = { text: 'x'.repeat(9.5 * 1024) };
const estimate = 20;
const unbounded = { deadline: Number.POSITIVE_INFINITY };

const put = (table: TableClient, condition = 'attribute_not_exists(pk)') =>
  table.transact([{ Put: { Item: { ...key(), ...large }, ConditionExpression: condition } }]);

/** The first so many writes meet this; then all goes well. */
const striking = (failure: Failure, times: number): Step => {
  let struck = 0;
  return async (request, pass) =>
    (struck++ < times && failures[failure](request.operation, request.body.toString())) ||
    pass(request);
};

const unitsAfter = async (
  steps: Step[],
  work: (table: TableClient) => Promise<unknown>,
): Promise<{ units: number; error: { code?: string } | undefined }> => {
  let [units, error] = [0, undefined];
  await withSteps(steps, async () => {
    const table = openTable().during(unbounded);
    error = await work(table).then(
      () => undefined,
      (thrown) => thrown,
    );
    units = table.units;
  });
  return { units, error };
};

const invalid: Step = async () => jsonReply(400, { __type: 'a#ValidationException' });
const late = (table: TableClient) => put(table.beside({ deadline: Date.now() }));

test.each<[what: string, steps: Step[], work: typeof put, times: number, error?: object]>([
  ['is carried out counts as what DynamoDB says', [], put, 1],
  ['has a condition that fails counts', [], (table) => put(table, 'attribute_exists(pk)'), 1, {}],
  ['conflicts three times counts each time', [striking('conflict', 3)], put, 4],
  ['is throttled three times counts each time', [striking('throttled', 3)], put, 4],
  ['has no time left counts once', [striking('conflict', 9)], late, 1, { code: 'write_conflict' }],
  ['DynamoDB does not take is nothing', [invalid], put, 0, { name: 'ValidationException' }],
])('a transaction that %s', async (_what, steps, work, times, error) => {
  const after = await unitsAfter(steps, work);
  expect(after).toEqual({
    units: times * estimate,
    error: error && expect.objectContaining(error),
  });
});

test('a transaction that is cut off on its way counts at once, and one that is never sent does not', async () => {
  const sent = Promise.withResolvers<void>();
  const silent: Step = () => {
    sent.resolve();
    return new Promise(() => {});
  };
  const { units, error } = await unitsAfter([silent], async (table) => {
    const [first, second] = [put(table), sent.promise.then(() => table.end())];
    await second;
    expect(table.units).toBe(estimate);
    await expect(put(table)).rejects.toMatchObject({ code: 'timeout' });
    await first;
  });
  expect([error?.code, units]).toEqual(['timeout', estimate]);
});

const counted = new Kind(new Place('<partition>', 's'), {
  holds: 'a number',
  attributes: z.object({ count: z.int() }),
});
const update = (table: TableClient, condition: Condition<unknown>) =>
  table.update(counted.key({ partition: randomUUID() }), { set: { count: 1 } }, condition);

test.each([
  ['that is carried out', absent, true],
  ['whose condition fails', present, false],
])('a single update %s counts as one', async (_what, condition, holds) => {
  let held: boolean | undefined;
  const { units } = await unitsAfter([], async (table) => {
    held = await update(table, condition);
  });
  expect([held, units]).toEqual([holds, 1]);
});

test('what is done beside a request counts as its own, and goes on where that has ended', async () => {
  const { units, error } = await unitsAfter([], async (table) => {
    const beside = table.beside(unbounded);
    table.end();
    await expect(put(table)).rejects.toMatchObject({ code: 'timeout' });
    await put(beside);
  });
  expect([units, error]).toEqual([estimate, undefined]);
});
