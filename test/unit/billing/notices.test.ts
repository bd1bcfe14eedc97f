import { expect, test } from 'vitest';
import { noticesOf } from '../../../lib/billing/notices.ts';

test('each threshold that the stars fell to is told by itself, the last star as stars.depleted', () => {
  expect(noticesOf([100, 10, 0], 0)).toEqual([
    { type: 'stars.low', threshold: 100, available_stars: 0 },
    { type: 'stars.low', threshold: 10, available_stars: 0 },
    { type: 'stars.depleted' },
  ]);
  expect(noticesOf([], 7)).toEqual([]);
});
