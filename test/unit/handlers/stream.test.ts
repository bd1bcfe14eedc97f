import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { setAsideAfterMs, toBody } from '../../../lib/handlers/handed-over.ts';
import { serveStream } from '../../../lib/handlers/stream.ts';
import { defineBackground } from '../../../lib/operations/kinds/background.ts';
import { openTable } from '../../../lib/table/client.ts';
import { places } from '../../../lib/table/keys.ts';
import { contextFor } from '../support.ts';

// What becomes of a batch of the stream, or of the queue to which it is handed over, by a consumer that fails as it is told.

afterEach(() => void vi.useRealTimers());

/** An environment, and what it does with batches: of what has an organization and, after a blank, how it fails. */
const environment = ({ isQueueDown = false } = {}) => {
  const handedOver: { organizationId: string; message: unknown }[] = [];
  const groups = new Set<string>();
  /** Of each call, the organization and its keys. */
  let handled: string[][] = [];
  const deadlines: number[] = [];
  const consumer = defineBackground({
    kind: 'stream',
    takes: 'additions',
    id: 'told',
    summary: 'Fails as it is told.',
    partitions: [''],
    table: ['PutItem DUE'],
    organizationOf: ({ pk }) => pk.split(' ')[0] ?? '',
    async handle(organizationId, keys, { deadline }) {
      handled.push([organizationId, ...keys.map(({ sk }) => sk)]);
      deadlines.push(deadline - Date.now());
      const fails = (how: string) => keys.some(({ pk, sk }) => pk.endsWith(how) || sk === how);
      if (fails('bug')) throw new TypeError('a bug');
      if (fails('race')) throw new ApiError('write_conflict');
    },
  });
  const send = async (message: unknown, { group }: { group: string }) => {
    if (isQueueDown) throw new ApiError('unavailable');
    groups.add(group);
    handedOver.push({ organizationId: group.replace(/\.[012]$/, ''), message });
  };
  const handler = serveStream(consumer, {
    open: () => ({ table: openTable(), wakes: { send: async () => {} }, queue: { send } }),
  });
  const run = async (event: object) => {
    handled = [];
    const sent = event as DynamoDBStreamEvent & SQSEvent;
    const { batchItemFailures } = await handler(sent, contextFor(11_000));
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  /** By the stream: a record for each of these. */
  const deliver = (pks: string[]) =>
    run({
      Records: pks.map((pk, i) => ({
        dynamodb: { SequenceNumber: `at ${i}`, Keys: { pk: { S: pk }, sk: { S: String(i) } } },
      })),
    });
  /** By the queue: a message for each organization and its keys. */
  const deliverAgain = (messages: string[][], ageMs = 0) =>
    run({
      Records: messages.map(([organizationId = '', ...sks], i) => ({
        messageId: `m${i}`,
        body: JSON.stringify(
          toBody(
            organizationId,
            sks.map((sk) => ({ pk: organizationId, sk })),
          ),
        ),
        attributes: { SentTimestamp: String(Date.now() - ageMs) },
      })),
    });
  const organizations = () => handedOver.map(({ organizationId }) => organizationId);
  const told = { handedOver, organizations, groups, deadlines };
  return { deliver, deliverAgain, handled: () => handled, ...told };
};

const named = (...messages: string[]) => messages.map((one) => one.split(' '));

test('each organization is given its records together, in their order', async () => {
  const { deliver, handled, handedOver } = environment();
  expect(await deliver(['a', 'b', 'a', 'c', 'a'])).toEqual([]);
  expect(handled()).toEqual(named('a 0 2 4', 'b 1', 'c 3'));
  expect(handedOver).toEqual([]);
});

test('the issuer’s keys, which only have the function invoked, are nobody’s', async () => {
  const keys = places.issuerKeys.partition({ uri: 'https://login.example/keys' });
  const { deliver, handled } = environment();
  expect(await deliver([keys, 'a', keys])).toEqual([]);
  expect(handled()).toEqual(named('a 1'));
  expect(await deliver([keys])).toEqual([]);
  expect(await deliver([])).toEqual([]);
});

test.each(['bug', 'race'])(
  'what fails by a %s is handed over as a whole, and the others are done',
  async (how) => {
    const { deliver, handled, handedOver, deadlines } = environment();
    expect(await deliver(['a', `b ${how}`, 'b', 'c'])).toEqual([]);
    expect(handled().map(([id]) => id)).toEqual(['a', 'b', 'c']);
    const keys = [
      { pk: `b ${how}`, sk: '1' },
      { pk: 'b', sk: '2' },
    ];
    expect(handedOver).toEqual([{ organizationId: 'b', message: { organization_id: 'b', keys } }]);
    // Too little time for another attempt.
    expect(Math.max(...deadlines)).toBeLessThanOrEqual(50);
  },
);

test('who was handed over is handed over at once, for five seconds; the others are not', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { deliver, handled, organizations } = environment();
  await deliver(['a', 'b race']);
  vi.setSystemTime(Date.now() + 4999);
  await deliver(['a', 'b']);
  expect([organizations(), handled()]).toEqual([['b', 'b'], named('a 0')]);
  vi.setSystemTime(Date.now() + 1);
  await deliver(['a', 'b']);
  expect([organizations(), handled()]).toEqual([['b', 'b'], named('a 0', 'b 1')]);
});

test('who is handed over again and again has three groups in the queue, so that as many workers number for it', async () => {
  const { deliver, groups } = environment();
  for (let n = 0; n < 200; n++) await deliver(['a race']);
  expect([...groups].toSorted()).toEqual(['a.0', 'a.1', 'a.2']);
});

test('only what the queue does not take is given again, from its first record on', async () => {
  const { deliver, handled } = environment({ isQueueDown: true });
  expect(await deliver(['a', 'b race', 'b', 'c'])).toEqual(['at 1']);
  expect(handled().map(([id]) => id)).toEqual(['a', 'b', 'c']);
  expect(await deliver(['a', 'c'])).toEqual([]);
});

test('all messages of an organization are done together, with all of the function’s time', async () => {
  const { deliverAgain, handled, deadlines } = environment();
  expect(await deliverAgain(named('a 1 2', 'b 3', 'a 4'))).toEqual([]);
  expect(handled()).toEqual(named('a 1 2 4', 'b 3'));
  expect(Math.min(...deadlines)).toBeGreaterThan(5000);
});

test('what passes is given again however old it is, with all of its organization', async () => {
  const { deliverAgain, handedOver } = environment();
  const messages = named('a 1', 'b race', 'a 2', 'b 3');
  expect(await deliverAgain(messages, 2 * setAsideAfterMs)).toEqual(['m1', 'm3']);
  // What came from the queue is not handed over once more.
  expect(handedOver).toEqual([]);
});

test('a message that meets a bug fails alone, and is set aside in the end', async () => {
  const { deliverAgain, handled } = environment();
  const messages = named('a 1', 'a bug', 'a 2', 'b bug');
  expect(await deliverAgain(messages, setAsideAfterMs - 10_000)).toEqual(['m1', 'm3']);
  const ofA = handled().filter(([id]) => id === 'a');
  expect(ofA).toEqual(named('a 1 bug 2', 'a 1', 'a bug', 'a 2'));
  expect(await deliverAgain(messages, setAsideAfterMs)).toEqual([]);
});
