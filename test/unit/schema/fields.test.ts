import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { text } from '../../../lib/schema/fields.ts';
import { invisible } from '../../support/invisible.ts';
import { problemsOf } from '../../support/problems.ts';

test.each(invisible)(
  'a text of %s is refused, as it shows nothing, and with a letter it is not',
  (_what, value) => {
    expect(problemsOf(text(50), value)).toEqual(['must not be blank']);
    expect(z.parse(text(50), `${value}a${value}`)).toBe(`${value}a${value}`);
  },
);

test.each(['\u0301', '.', '\ue000', '\u{1f31f}', '\u05d0', '\u2801'])(
  'the text %j shows something',
  (value) => {
    expect(problemsOf(text(1), value)).toEqual([]);
  },
);
