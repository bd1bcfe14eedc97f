import { expect, test } from 'vitest';
import { ascii } from '../../infra/ascii.ts';

test('the quotes of the API’s texts become straight, and nothing else is let through', () => {
  expect(ascii('the organization’s “stars”, 100 %')).toBe('the organization\'s "stars", 100 %');
  for (const text of ['«stars»', 'café', 'a\nb', 'a – b']) {
    expect(() => ascii(text)).toThrow('A template takes ASCII only');
  }
});
