import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serveStream, setAsideAfterMs } from '../../../lib/handlers/stream.ts';
import { defineStreamConsumer } from '../../../lib/operations/kinds/stream-consumer.ts';
import { issuerKeysKey } from '../../../lib/table/keys.ts';
import '../support.ts';

// What a batch's failures are, by a consumer that fails as it is told: a key's second part says how.

const deliver = async (pks: string[], age = 0) => {
  const handled: Record<string, string[]> = {};
  const handler = serveStream(
    defineStreamConsumer({
      id: 'told',
      summary: 'Fails as it is told.',
      partitions: [''],
      table: [],
      organizationOf: ({ pk }) => pk.split(' ')[0] ?? '',
      async handle(organizationId, keys) {
        handled[organizationId] = keys.map(({ sk }) => sk);
        if (keys.some(({ pk }) => pk.endsWith('bug'))) throw new TypeError('a bug');
        if (keys.some(({ pk }) => pk.endsWith('passing'))) throw new ApiError('unavailable');
      },
    }),
  );
  const at = (Date.now() - age) / 1000;
  const Records = pks.map((pk, i) => ({
    dynamodb: {
      SequenceNumber: `at ${i}`,
      ApproximateCreationDateTime: at,
      Keys: { pk: { S: pk }, sk: { S: String(i) } },
    },
  }));
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 10_000 } as Context;
  const { batchItemFailures } = await handler({ Records } as DynamoDBStreamEvent, context);
  return { handled, failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
};

test('each organization is given its records together, in their order', async () => {
  expect(await deliver(['a', 'b', 'a', 'c', 'a'])).toEqual({
    handled: { a: ['0', '2', '4'], b: ['1'], c: ['3'] },
    failed: [],
  });
});

test('the issuer’s keys, which only have the function invoked, are nobody’s', async () => {
  const keys = issuerKeysKey('https://login.example/keys').pk;
  expect(await deliver([keys, 'a', keys])).toEqual({ handled: { a: ['1'] }, failed: [] });
  expect(await deliver([keys])).toEqual({ handled: {}, failed: [] });
});

test('one that fails is named by its first record, and the others are done', async () => {
  for (const how of ['bug', 'passing']) {
    const { handled, failed } = await deliver(['a', `b ${how}`, 'b', 'c']);
    expect(Object.keys(handled).sort()).toEqual(['a', 'b', 'c']);
    expect(failed).toEqual(['at 1']);
  }
});

test('what passes is given again however old it is; a bug is set aside in the end', async () => {
  expect((await deliver(['a', 'b passing'], 2 * setAsideAfterMs)).failed).toEqual(['at 1']);
  expect((await deliver(['a', 'b bug'], setAsideAfterMs - 10_000)).failed).toEqual(['at 1']);
  expect((await deliver(['a', 'b bug'], setAsideAfterMs + 10_000)).failed).toEqual([]);
});
