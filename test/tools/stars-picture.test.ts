import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { picture } from '../../tools/stars/picture.ts';
import { starsByDay } from '../../tools/stars/story.ts';

test.each(['light', 'dark'] as const)(
  'the %s picture of what expires when is as the rules have it; else `npm run openapi`',
  (theme) => {
    const file = join(import.meta.dirname, `../../docs/stars/${theme}.svg`);
    expect(readFileSync(file, 'utf8')).toBe(picture(theme));
  },
);

test('it shows a pack that expires and a period that ends with stars left', () => {
  const on = (day: number) => starsByDay().filter((one) => one.on === day);
  expect(on(24).map(({ expiring }) => expiring)).toEqual([50, 0]);
  expect(on(30).map(({ monthly }) => monthly)).toEqual([10, 100]);
});
