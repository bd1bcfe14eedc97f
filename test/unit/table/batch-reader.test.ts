import { expect, test } from 'vitest';
import { BatchReader, type Deliver } from '../../../lib/table/batch-reader.ts';
import { TableClient } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';

const key = (n: number): Key => ({ pk: `p${n}`, sk: 's' });
const items = (keys: readonly Key[]) => keys.map((key) => ({ ...key, found: true }));

/** Keeps what was read, each time. */
const gathered = (read = async (keys: Key[], deliver: Deliver) => deliver(items(keys))) => {
  const requests: Key[][] = [];
  const all = new BatchReader((keys, deliver) => {
    requests.push(keys);
    return read(keys, deliver);
  });
  return { all, requests };
};

test('what is asked for in one turn is one request, however many promises lie between', async () => {
  const { all, requests } = gathered();
  const later = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return all.get(key(2));
  };
  const found = await Promise.all([all.get(key(1)), later()]);
  expect(found).toEqual(items([key(1), key(2)]));
  expect(requests).toEqual([[key(1), key(2)]]);
});

test('a key that two ask for is read once, for both, and after the answer once more', async () => {
  const { all, requests } = gathered();
  expect(await Promise.all([all.get(key(1)), all.get(key(1))])).toEqual(items([key(1), key(1)]));
  expect(requests).toEqual([[key(1)]]);
  await all.get(key(1));
  expect(requests).toEqual([[key(1)], [key(1)]]);
});

test('100 keys are one request, 101 are two, each with its own answer or failure', async () => {
  const { all, requests } = gathered(async (keys, deliver) => {
    if (keys.length === 1) throw new Error('refused');
    deliver(items(keys));
  });
  const keys = Array.from({ length: 101 }, (_, n) => key(n));
  const hundred = await Promise.all(keys.slice(0, 100).map((one) => all.get(one)));
  expect(hundred).toEqual(items(keys.slice(0, 100)));
  const answers = await Promise.allSettled(keys.map((one) => all.get(one)));
  expect(requests.map(({ length }) => length)).toEqual([100, 100, 1]);
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array(100).fill('fulfilled'),
    'rejected',
  ]);
});

test('what is left over holds up nobody else, and its failure is nobody else’s', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { all } = gathered((keys, deliver) => {
    deliver(items(keys.slice(0, 1)), keys.slice(2));
    return promise;
  });
  const [found, nothing, left] = [all.get(key(1)), all.get(key(2)), all.get(key(3))];
  expect(await found).toEqual(items([key(1)])[0]);
  expect(await nothing).toBeUndefined();
  reject(new Error('throttled'));
  await expect(left).rejects.toThrow('throttled');
});

test('what DynamoDB leaves over of a batch is asked for again, and nobody waits for the rest', async () => {
  const asked: string[][] = [];
  const send = async ({ input }: { input: { RequestItems: Record<string, { Keys: Key[] }> } }) => {
    const keys = input.RequestItems.table!.Keys;
    asked.push(keys.map(({ sk }) => sk));
    const [found, left] = asked.length === 1 ? [keys.slice(0, 1), keys.slice(1)] : [keys, []];
    return {
      Responses: { table: found.map((one) => ({ ...one, found: true })) },
      UnprocessedKeys: left.length > 0 ? { table: { Keys: left } } : {},
    };
  };
  const table = new TableClient({ send } as never, 'table');
  const all = ['a', 'b', 'c'].map((sk) => table.get({ pk: 'p', sk }));
  expect(await all[0]).toEqual({ pk: 'p', sk: 'a', found: true });
  expect(asked).toEqual([['a', 'b', 'c']]);
  expect((await Promise.all(all)).map((item) => item?.sk)).toEqual(['a', 'b', 'c']);
  expect(asked.slice(1)).toEqual([['b', 'c']]);
});
