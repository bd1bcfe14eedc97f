import { expect, test } from 'vitest';
import { RequestCost } from '../../../lib/organizations/request-cost.ts';

// As one request count 35 written units or 70 read ones.

const of = (taken: { read: number; written: number }) => new RequestCost(taken);

test.each([
  [139, 0],
  [140, 3],
  [3535, 100],
])('before %i units are written, a request counts as %i more', (units, requests) => {
  expect(of({ read: 0, written: 0 }).beforeWriting(units)).toBe(requests);
});

test('what is written is counted once: a batch whole, and its parts no more', () => {
  const taken = { read: 0, written: 0 };
  const cost = of(taken);
  expect(cost.beforeWriting(3535)).toBe(100);
  for (; taken.written < 3500; taken.written += 350) expect(cost.beforeWriting(350)).toBe(0);
  expect(cost.atEnd()).toBe(0);
});

test('up to 175 units, a request reads as it likes; then the dearest list is counted, again where that is used up', () => {
  const taken = { read: 175, written: 0 };
  const cost = of(taken);
  expect(cost.beforeReading()).toBe(0);
  taken.read = 176;
  expect(cost.beforeReading()).toBe(4);
  taken.read = 5 * 70;
  expect(cost.beforeReading()).toBe(0);
  taken.read = 5 * 70 + 1;
  expect(cost.beforeReading()).toBe(4);
});

test('what is read at once beyond that is counted as it is', () => {
  expect(of({ read: 31 * 70, written: 0 }).beforeReading()).toBe(30);
});

test('at its end a request counts as what it took beyond what was counted', () => {
  const taken = { read: 0, written: 70 };
  expect(of(taken).atEnd()).toBe(1);
  const cost = of(taken);
  cost.beforeWriting(35 * 9);
  taken.written = 35 * 20;
  expect(cost.atEnd()).toBe(9);
  expect(cost.atEnd()).toBe(0);
});

test('at its end a request gives back what it did not take, of what the counter has', () => {
  const taken = { read: 176, written: 0 };
  const counted = of(taken);
  counted.noteCounted(counted.beforeReading());
  taken.read = 70 * 3;
  expect(counted.atEnd()).toBe(-2);
  // As one it counts in any case, and what could not be counted does not come back.
  expect(of({ read: 0, written: 0 }).atEnd()).toBe(0);
  taken.read = 176;
  const uncounted = of(taken);
  uncounted.beforeReading();
  expect(uncounted.atEnd()).toBe(0);
});

test('reads that took more than was expected are too much beyond 175 units, unless they were counted before', () => {
  const hasReadTooMuch = (read: number, isCounted = false) => {
    const taken = { read: isCounted ? 176 : 60, written: 0 };
    const cost = of(taken);
    cost.noteCounted(cost.beforeReading());
    taken.read = read;
    return cost.hasReadTooMuch;
  };
  expect([175, 176].map((read) => hasReadTooMuch(read))).toEqual([false, true]);
  expect([240, 351].map((read) => hasReadTooMuch(read, true))).toEqual([false, true]);
});

test('a request that is refused counts as no more than what it took', () => {
  const taken = { read: 70 * 3, written: 0 };
  const cost = of(taken);
  cost.noteRefused(cost.beforeReading());
  expect(cost.atEnd()).toBe(2);
  taken.read = 7;
  const cheap = of(taken);
  cheap.noteRefused(cheap.beforeWriting(3535));
  expect(cheap.atEnd()).toBeCloseTo(-0.9);
});

test('what workers write for it later counts as if it did', () => {
  const cost = of({ read: 0, written: 35 });
  expect(cost.beforeWritingLater(70)).toBe(0);
  expect(cost.beforeWritingLater(35)).toBe(3);
  expect(cost.atEnd()).toBe(0);
  const little = of({ read: 0, written: 35 });
  expect([little.beforeWritingLater(35), little.atEnd()]).toEqual([0, 1]);
});
