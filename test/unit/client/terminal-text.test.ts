import { expect, test } from 'vitest';
import { printable } from '../../../packages/client/src/cli/terminal-text.ts';

test('control characters are shown by their numbers, and all else as it is', () => {
  expect(printable('a\u001b[2J\u0000\t\r\u007f\u009b')).toBe(
    'a\\u001b[2J\\u0000\\u0009\\u000d\\u007f\\u009b',
  );
  expect(printable('Ana – “São Paulo” 😀\n\u00a0')).toBe('Ana – “São Paulo” 😀\n\u00a0');
});
