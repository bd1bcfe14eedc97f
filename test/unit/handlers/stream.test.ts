import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serveStream } from '../../../lib/handlers/stream.ts';
import { defineStreamConsumer } from '../../../lib/operations/kinds/stream-consumer.ts';
import { openTable } from '../../../lib/table/client.ts';
import { issuerKeysKey } from '../../../lib/table/keys.ts';
import { contextFor } from '../support.ts';

// What becomes of a batch, by a consumer that fails as it is told: a key's second part says how.

afterEach(() => void vi.useRealTimers());

/** An environment, and what it does with batches. */
const environment = ({ isQueueDown = false } = {}) => {
  const handedOver: { group: string; message: unknown }[] = [];
  const handled: Record<string, string[]> = {};
  const deadlines: number[] = [];
  const consumer = defineStreamConsumer({
    id: 'told',
    summary: 'Fails as it is told.',
    partitions: [''],
    table: ['PutItem'],
    organizationOf: ({ pk }) => pk.split(' ')[0] ?? '',
    async handle(organizationId, keys, { deadline }) {
      handled[organizationId] = keys.map(({ sk }) => sk);
      deadlines.push(deadline - Date.now());
      if (keys.some(({ pk }) => pk.endsWith('bug'))) throw new TypeError('a bug');
      if (keys.some(({ pk }) => pk.endsWith('race'))) throw new ApiError('write_conflict');
    },
  });
  const send = async (message: unknown, { group }: { group: string }) => {
    if (isQueueDown) throw new ApiError('unavailable');
    handedOver.push({ group, message });
  };
  const handler = serveStream(consumer, {
    open: () => ({ table: openTable(), wakes: { send: async () => {} }, queue: { send } }),
  });
  const deliver = async (pks: string[]) => {
    const Records = pks.map((pk, i) => ({
      dynamodb: { SequenceNumber: `at ${i}`, Keys: { pk: { S: pk }, sk: { S: String(i) } } },
    }));
    const event = { Records } as DynamoDBStreamEvent;
    const { batchItemFailures } = await handler(event, contextFor(11_000));
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  const groups = () => handedOver.map(({ group }) => group);
  return { deliver, handled, handedOver, groups, deadlines };
};

test('each organization is given its records together, in their order', async () => {
  const { deliver, handled, handedOver } = environment();
  expect(await deliver(['a', 'b', 'a', 'c', 'a'])).toEqual([]);
  expect(handled).toEqual({ a: ['0', '2', '4'], b: ['1'], c: ['3'] });
  expect(handedOver).toEqual([]);
});

test('the issuer’s keys, which only have the function invoked, are nobody’s', async () => {
  const keys = issuerKeysKey('https://login.example/keys').pk;
  const { deliver, handled } = environment();
  expect(await deliver([keys, 'a', keys])).toEqual([]);
  expect(handled).toEqual({ a: ['1'] });
  expect(await deliver([keys])).toEqual([]);
  expect(await deliver([])).toEqual([]);
});

test.each(['bug', 'race'])(
  'what fails by a %s is handed over as a whole, and the others are done',
  async (how) => {
    const { deliver, handled, handedOver, deadlines } = environment();
    expect(await deliver(['a', `b ${how}`, 'b', 'c'])).toEqual([]);
    expect(Object.keys(handled).sort()).toEqual(['a', 'b', 'c']);
    const keys = [
      { pk: `b ${how}`, sk: '1' },
      { pk: 'b', sk: '2' },
    ];
    expect(handedOver).toEqual([{ group: 'b', message: { organization_id: 'b', keys } }]);
    // Too little time for another attempt.
    expect(Math.max(...deadlines)).toBeLessThanOrEqual(50);
  },
);

test('who was handed over is handed over at once, for five seconds; the others are not', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { deliver, handled, groups } = environment();
  await deliver(['a', 'b race']);
  delete handled.b;
  vi.setSystemTime(Date.now() + 4999);
  await deliver(['a', 'b']);
  expect([groups(), Object.keys(handled)]).toEqual([['b', 'b'], ['a']]);
  vi.setSystemTime(Date.now() + 1);
  await deliver(['a', 'b']);
  expect([groups(), Object.keys(handled)]).toEqual([
    ['b', 'b'],
    ['a', 'b'],
  ]);
});

test('only what the queue does not take is given again, from its first record on', async () => {
  const { deliver, handled } = environment({ isQueueDown: true });
  expect(await deliver(['a', 'b race', 'b', 'c'])).toEqual(['at 1']);
  expect(Object.keys(handled).sort()).toEqual(['a', 'b', 'c']);
  expect(await deliver(['a', 'c'])).toEqual([]);
});
