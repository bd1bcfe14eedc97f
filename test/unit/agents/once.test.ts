import { expect, test } from 'vitest';
import type { Sent } from '../../../lib/admission/input.ts';
import { once } from '../../../lib/agents/once.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import { echo } from '../echo.ts';

const operation = echo();
const sent: Sent = { body: { value: 1 } };

/** Runs it against answers in turn; gives the keys under which it ran. */
const keysOf = async (
  answers: readonly (ApiError | 'done' | 'repeated')[],
  content = sent,
  isGone?: () => Promise<boolean>,
) => {
  const keys: (string | undefined)[] = [];
  const run = async (_: unknown, { idempotencyKey }: Sent) => {
    const answer = answers[keys.length];
    keys.push(idempotencyKey);
    if (answer instanceof ApiError) throw answer;
    const headers = answer === 'repeated' ? { 'Idempotency-Replayed': 'true' } : {};
    return { body: answer, headers };
  };
  await once(operation, content, run, isGone);
  return keys;
};

const replayed = new ApiError('duplicate_lead', { replayed: true });

test('the same content has the same key, and another has another', async () => {
  const [first] = await keysOf(['done']);
  expect(await keysOf(['done'])).toEqual([first]);
  expect(await keysOf(['done'], { body: { value: 2 } })).not.toEqual([first]);
});

test('what was refused before is tried again, under keys that are always the same', async () => {
  const keys = await keysOf([replayed, replayed, 'done']);
  expect(new Set(keys).size).toBe(3);
  expect(await keysOf([replayed, replayed, 'done'])).toEqual(keys);
});

test('a refusal of now is told, and so is that of the last try', async () => {
  await expect(keysOf([new ApiError('duplicate_lead'), 'done'])).rejects.toThrow('Another lead');
  await expect(keysOf([replayed, replayed, replayed, replayed, replayed, 'done'])).rejects.toBe(
    replayed,
  );
});

test('what is gone since is done anew, under the next key; what is there, is not', async () => {
  const isGone = async () => true;
  expect((await keysOf(['repeated', 'repeated', 'done'], sent, isGone)).length).toBe(3);
  expect((await keysOf(Array(9).fill('repeated'), sent, isGone)).length).toBe(5);
  expect((await keysOf(['repeated'], sent, async () => false)).length).toBe(1);
  expect((await keysOf(['done'], sent, isGone)).length).toBe(1);
});
