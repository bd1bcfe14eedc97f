import * as z from 'zod/mini';
import { text } from '../schema/fields.ts';

/** A value of a custom field of any type: an empty list is no value. */
export type FieldValue = string | number | boolean | string[];
export type FieldValues = Record<string, FieldValue>;
/** Custom fields as they are sent: `null` clears a field. */
export type FieldValuesPatch = Record<string, FieldValue | null>;

/** The most custom fields of an organization, archived fields included. */
export const mostFields = 100;
/** Bytes of a lead's custom fields at most, together, as JSON in UTF-8. */
export const mostFieldBytes = 8192;
/** Characters of an address; of a text there are fewer. */
export const mostUrlCharacters = 2000;
export const mostTextCharacters = 500;
export const mostOptions = 100;

/** Every object of JavaScript has a `constructor`: a lead without such a field would seem to have it. */
export const fieldKey = () =>
  z.string().check(
    z.regex(
      /^[a-z][a-z0-9_]{0,49}$/,
      'must be a letter, then up to 49 more letters, digits or underscores, in lower case',
    ),
    z.refine((key) => key !== 'constructor', { error: 'must not be “constructor”' }),
  );

export const option = () => text(50);
const value = () =>
  z.union([
    text(mostUrlCharacters),
    z.number(),
    z.boolean(),
    z.array(option()).check(z.maxLength(mostOptions)),
  ]);

/** Values of custom fields as they are sent. Whether they fit the definitions is seen later. */
export const fieldValuesPatch = () =>
  z.record(fieldKey(), z.nullable(value())).check(
    z.refine((all) => Object.keys(all).length <= mostFields, {
      error: `must have at most ${mostFields} fields`,
    }),
    z.meta({ maxProperties: mostFields }),
  );

/** Custom fields as they are answered. */
export const fieldValues = (): z.ZodMiniType<FieldValues> =>
  z.record(fieldKey(), value()).check(z.meta({ id: 'LeadFields', maxProperties: mostFields }));

/** The text by which a value is filtered: each value of a type has a text of its own. */
export const filterText = (one: FieldValue): string => String(one);
