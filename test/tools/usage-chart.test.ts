import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// docs/examples/usage-chart.mjs, as a process.

const file = join(import.meta.dirname, '../../docs/examples/usage-chart.mjs');

const drawn = (...items: object[]) => {
  const input = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
    input,
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual(['', 0]);
  const all = (pattern: RegExp) => [...stdout.matchAll(pattern)].map(([, found]) => found);
  return { texts: all(/<text [^>]*>(.*?)<\/text>/g), widths: all(/<rect [^>]* width="(\d+)"/g) };
};

test('the picture has a bar for each name, the longest first, with what was refunded', () => {
  const { texts, widths } = drawn(
    { name: null, spent_stars: 10, refunded_stars: 0 },
    { name: 'search', spent_stars: 40, refunded_stars: 5 },
    { name: 'refunded-later', spent_stars: 0, refunded_stars: 3 },
  );
  expect(texts).toEqual([
    ...['search', '40, 5 refunded'],
    ...['(none)', '10'],
    ...['refunded-later', '0, 3 refunded'],
  ]);
  expect(widths).toEqual(['400', '100', '0']);
});

test('days stay in their order, and where nothing was used there is no bar', () => {
  const { texts, widths } = drawn(
    { day: '2026-11-01', spent_stars: 1, refunded_stars: 0 },
    { day: '2026-11-02', spent_stars: 2, refunded_stars: 0 },
  );
  expect(texts).toEqual(['2026-11-01', '1', '2026-11-02', '2']);
  expect(widths).toEqual(['200', '400']);
  expect(drawn()).toEqual({ texts: [], widths: [] });
});
