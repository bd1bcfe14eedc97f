import * as z from 'zod/mini';

/** A UUID in any case; the service writes and compares the lower-case form. */
export const uuid = () =>
  z.pipe(
    z.uuid(),
    z.transform((value: string) => value.toLowerCase()),
  );

/**
 * A user's id, in any case: what has the form of a UUID. Most users of Cognito have a `sub` whose variant RFC 9562 does
 * not know, which `uuid` refuses. In replies it is `z.guid()`.
 */
export const userId = () =>
  z.pipe(
    z.guid(),
    z.transform((value: string) => value.toLowerCase()),
  );

/** A date and time with its offset, as milliseconds since the epoch: what is finer is cut off. */
export const dateTime = () =>
  z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform((value: string) => Date.parse(value)),
  );

/** A date and time, which becomes ISO 8601 in UTC. */
export const utcDateTime = () =>
  z.pipe(
    z.pipe(
      z.iso.datetime({ offset: true }),
      z.transform((value: string) => new Date(value).toISOString()),
    ),
    z.string().check(z.refine(hasFourDigitYear, { error: 'must have a year of four digits' })),
  );

/** Whether a time of ISO 8601 in UTC has a year of four digits: an offset can lead out of these years. */
export const hasFourDigitYear = (inUtc: string): boolean => /^\d{4}-/.test(inUtc);

/**
 * Text of 1 to `max` Unicode code points, one of which shows something.
 * Lone surrogates are refused because they can't be stored as UTF-8 and read back as sent.
 */
export const text = (max: number) =>
  z.string().check(
    z.refine((value) => value.isWellFormed(), { error: 'has a lone surrogate', abort: true }),
    z.refine((value) => visible.test(value), { error: 'must not be blank', abort: true }),
    z.refine((value) => codePoints(value) <= max, {
      error: `must have at most ${max} characters`,
    }),
    z.meta({ minLength: 1, maxLength: max, pattern: '\\S' }),
  );

/**
 * A character that is not a blank, a control, an invisible character (Default_Ignorable_Code_Point) or the empty
 * pattern of Braille.
 */
const visible = /[^\p{White_Space}\p{Cc}\p{DI}\u2800]/u;

const codePoints = (value: string): number => {
  let length = 0;
  for (const _ of value) length++;
  return length;
};

/** A name that programs give: of a feature, or of who spends stars. */
export const shortName = () =>
  z.string().check(z.regex(/^[\w.:-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ : -'));

const longestEmail = 254;

/**
 * An email address of ASCII characters, at most 254 long (RFC 5321, 4.5.3.1). The length comes first: the
 * pattern runs out of stack on texts of a million characters.
 */
export const email = () =>
  z.string().check(
    z.refine((value) => value.length <= longestEmail, {
      error: `must have at most ${longestEmail} characters`,
      abort: true,
    }),
    z.refine((value) => z.regexes.rfc5322Email.test(value), {
      error: 'must be an email address',
      abort: true,
    }),
    z.regex(/^[\x21-\x7e]+$/, 'must be an email address of ASCII characters'),
    z.meta({ maxLength: longestEmail, format: 'email' }),
  );

/** The code of a currency, by ISO 4217. Its list takes milliseconds to make, and most functions need none: so only a check asks for it. */
export const currency = () =>
  z.string().check(
    z.refine((code) => Intl.supportedValuesOf('currency').includes(code), {
      error: 'must be an ISO 4217 code',
    }),
    z.meta({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
  );
