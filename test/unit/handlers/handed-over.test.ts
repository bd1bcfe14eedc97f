import type { SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { setAsideAfterMs, toBody } from '../../../lib/handlers/handed-over.ts';
import { serveStream } from '../../../lib/handlers/stream.ts';
import { defineStreamConsumer } from '../../../lib/operations/kinds/stream-consumer.ts';
import { openTable } from '../../../lib/table/client.ts';
import { contextFor } from '../support.ts';

/** Messages, each of which is an organization and its keys. */
const named = (...messages: string[]) => messages.map((one) => one.split(' '));

/** Gives messages as the queue does. Answers which are given again. */
const deliver = async (messages: string[][], ageMs = 0) => {
  const handled: string[][] = [];
  const deadlines: number[] = [];
  const consumer = defineStreamConsumer({
    id: 'told',
    summary: 'Fails as it is told.',
    partitions: [''],
    table: ['PutItem'],
    organizationOf: () => '',
    async handle(organizationId, keys, { deadline }) {
      const pks = keys.map(({ pk }) => pk);
      handled.push([organizationId, ...pks]);
      deadlines.push(deadline - Date.now());
      if (pks.includes('bug')) throw new TypeError('a bug');
      if (pks.includes('passing')) throw new ApiError('unavailable');
    },
  });
  const sent: unknown[] = [];
  const handler = serveStream(consumer, {
    open: () => ({
      table: openTable(),
      wakes: { send: async () => {} },
      queue: { send: async (message) => void sent.push(message) },
    }),
  });
  const SentTimestamp = String(Date.now() - ageMs);
  const Records = messages.map(([organizationId = '', ...pks], i) => {
    const body = JSON.stringify(
      toBody(
        organizationId,
        pks.map((pk) => ({ pk, sk: '' })),
      ),
    );
    return { messageId: `m${i}`, body, attributes: { SentTimestamp } };
  });
  const event = { Records } as unknown as SQSEvent;
  const { batchItemFailures } = await handler(event, contextFor(11_000));
  expect(sent, 'what came from the queue is not handed over again').toEqual([]);
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return { handled, failed, deadlines };
};

test('all messages of an organization are done together, with all of the function’s time', async () => {
  const { handled, failed, deadlines } = await deliver(named('a 1 2', 'b 3', 'a 4'));
  expect([handled, failed]).toEqual([named('a 1 2 4', 'b 3'), []]);
  expect(Math.min(...deadlines)).toBeGreaterThan(5000);
});

test('what passes is given again however old it is, with all of its organization', async () => {
  const messages = named('a 1', 'b passing', 'a 2', 'b 3');
  expect((await deliver(messages, 2 * setAsideAfterMs)).failed).toEqual(['m1', 'm3']);
});

test('a message that meets a bug fails alone, and is set aside in the end', async () => {
  const messages = named('a 1', 'a bug', 'a 2', 'b bug');
  const young = await deliver(messages, setAsideAfterMs - 10_000);
  expect(young.handled.filter(([id]) => id === 'a')).toEqual(
    named('a 1 bug 2', 'a 1', 'a bug', 'a 2'),
  );
  expect(young.failed).toEqual(['m1', 'm3']);
  expect((await deliver(messages, setAsideAfterMs)).failed).toEqual([]);
});
