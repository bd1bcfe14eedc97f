import { expect, test } from 'vitest';
import { createClient, FeedChangedError } from '../../../packages/client/src/index.ts';

test('reading changes waits for a number that can’t be read yet, and passes over none', async () => {
  const change = (sequence: number) => ({ sequence });
  const page = (items: object[], last_sequence: number, has_more: boolean, feed_id = 'f') =>
    Response.json({ items, last_sequence, has_more, feed_id });
  const asked: string[] = [];
  const answers = [
    page([change(1)], 1, true),
    page([], 1, true),
    page([change(2), change(3)], 3, true),
    page([], 3, false, 'g'),
  ];
  const api = createClient({
    baseUrl: 'http://service.test/v1',
    organizationId: crypto.randomUUID(),
    token: 't',
    fetch: async (input) => {
      asked.push(new URL((input as Request).url).searchParams.get('after') ?? '');
      return answers[asked.length - 1]!;
    },
  });
  const seen: number[] = [];
  const reading = async () => {
    for await (const { sequence } of api.changes()) seen.push(sequence);
  };
  await expect(reading()).rejects.toBeInstanceOf(FeedChangedError);
  expect([seen, asked]).toEqual([
    [1, 2, 3],
    ['0', '1', '1', '3'],
  ]);
});
