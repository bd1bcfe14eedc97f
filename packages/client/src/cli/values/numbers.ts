import { visibleText } from './plain-text.ts';

/** How numbers are written: as in a country (ISO 3166-1); null where nobody can say, undefined where nobody has said. */
export type NumberCountry = string | null | undefined;

/**
 * A number as people write it, in the form of JSON: `1,250.00`, `1.250,00` and `1250` are 1250.00 or 1250. Undefined for what is
 * no number, and where a sign may stand before thousands or decimals, as in `1.250`, unless the country says which.
 */
export const readDecimal = (cell: string, country?: NumberCountry): string | undefined => {
  const [, sign = '', text = ''] =
    /^([-−+]?)\s*(\d[\d., '’]*)$/.exec(withWhole(visibleText(cell))) ?? [];
  const mark = text === '' ? undefined : decimalMark(text, country);
  if (mark === undefined) return undefined;
  const at = mark === '' ? text.length : text.lastIndexOf(mark);
  const [whole, part] = [text.slice(0, at), text.slice(at + 1)];
  const isMixed = mark !== '' && whole.includes(mark);
  if (isMixed || !wholeNumber.test(whole) || !/^\d*$/.test(part)) return undefined;
  return `${/[-−]/.test(sign) ? '-' : ''}${whole.replace(/\D/g, '')}${part && `.${part}`}`;
};

/** Countries in which some write a comma before decimals, others before thousands. All write a point before decimals. */
const unsureIn = new Set('CA CH LI NA ZA'.split(' '));

/** A number that is no amount: no currency says how many decimals it has. Otherwise as `readDecimal`. */
export const readNumber = (cell: string, country?: NumberCountry): string | undefined => {
  if (!unsureIn.has(country ?? '')) return readDecimal(cell, country);
  return readDecimal(cell) ?? (cell.includes('.') ? readDecimal(cell, 'US') : undefined);
};

/** Whether a text is a number, and only its country can say which: `1.250`. */
export const mayBeTwoNumbers = (cell: string): boolean =>
  readDecimal(cell) === undefined && readDecimal(cell, 'US') !== undefined;

/** A number with the 0 that databases leave out of `.5`. Other texts as they are. */
export const withWhole = (text: string): string => text.replace(/^([-−+]?)(?=[.,]\d+$)/, '$10');

/** Digits, all with the same sign between groups of three; in India groups of two come before the last three. */
const wholeNumber =
  /^(?:\d+|[1-9]\d{0,2}(?:([., '’])\d{3})(?:\1\d{3})*|[1-9]\d?(?:,\d{2})*,\d{3})$/;

/** The sign before the decimals, `''` where there are none; undefined where it is not known. */
const decimalMark = (text: string, country: NumberCountry): string | undefined => {
  const marks = text.replace(/[^.,]/g, '');
  const last = marks.at(-1) ?? '';
  if (new Set(marks).size > 1) return last;
  if (marks.length > 1) return '';
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return last;
  if (country === undefined || country === null) return undefined;
  return markIn(country) === last ? last : '';
};

const knownMarks = new Map<string, string | undefined>();

const markIn = (country: string): string | undefined => {
  if (!knownMarks.has(country)) {
    // Arabic and other digits have signs of their own.
    const { language } = new Intl.Locale(`und-${country}`).maximize();
    const parts = new Intl.NumberFormat(`${language}-${country}-u-nu-latn`).formatToParts(1.5);
    knownMarks.set(country, parts.find(({ type }) => type === 'decimal')?.value);
  }
  return knownMarks.get(country);
};

/**
 * The country for numbers that a program may have written. All programs write a point before decimals: where people write another
 * sign, nobody can say which it is.
 */
export const countryOfPrograms = (country: string | undefined): NumberCountry =>
  country === undefined || markIn(country) === '.' ? country : null;

/** The number that a text of JSON is; undefined where it has more digits than a number keeps. */
export const exactNumber = (text: string): number | undefined => {
  const value = Number(text);
  return Number.isFinite(value) && digitsOf(text) === digitsOf(String(value)) ? value : undefined;
};

/** The digits of a number of JSON without the zeros around them, and their power of ten. */
const digitsOf = (text: string): string => {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^([-+]?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  const exponent = Number(power) - part.length + all.length - digits.length;
  return `${sign === '-' ? '-' : ''}${digits}e${exponent}`;
};
