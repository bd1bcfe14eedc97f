import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { text } from '../../../lib/schema/fields.ts';
import { issueDetails } from '../../../lib/schema/issues.ts';
import { invisible } from '../../support/invisible.ts';

const problemsOf = (schema: z.core.$ZodType, value: unknown) => {
  const { error } = z.safeParse(schema, value);
  return error ? issueDetails(error).map(({ message }) => message) : [];
};

describe('a text that shows nothing is refused, and with a letter it is not', () => {
  test.each(invisible)('%s', (_what, value) => {
    expect(problemsOf(text(50), value)).toEqual(['must not be blank']);
    expect(z.parse(text(50), `${value}a${value}`)).toBe(`${value}a${value}`);
  });

  test.each(['\u0301', '.', '\ue000', '\u{1f31f}', '\u05d0', '\u2801'])(
    '%j shows something',
    (value) => {
      expect(problemsOf(text(1), value)).toEqual([]);
    },
  );
});
