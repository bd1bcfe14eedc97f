import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { visibleText } from './plain-text.ts';

// The metadata is “max”: with less, a Brazilian number without its area code would be taken for a phone.

/** A phone of cells, in E.164 form, and what else they have. */
export interface PhoneRead {
  phone?: string;
  /** Texts that can't be read, numbers after the first, and cells with an extension or words. */
  rest: { text: string; why: string }[];
}

/** Where a cell that is no number has several: between signs that no number has, or between words. */
const strongSeparator = /[;|\r\n\t]|,|:::|\s(?:or|and|ou|e|o|y|oder|und|et)\s/i;
const weakSeparator = /\s*\/\s*|\s+[-–—]\s+/;

/** Characters of a cell that are looked at. */
const mostCharacters = 2000;

/** An extension as libphonenumber does not know it. */
const otherExtension =
  /[\s,;(]*\b(?:ramal|r\.|anexo|int(?:erno|\.)?|dw|durchwahl|poste|toestel|app)\s*[.:]?\s*(\d{1,6})\)?$/i;

/**
 * Reads the first number of cells. A number that does not begin with `+` or 00 is of the country (ISO 3166-1), and can't
 * be read without a country.
 */
export const readPhone = (cells: readonly string[], country?: string): PhoneRead => {
  const found = new Set<string>();
  const rest: PhoneRead['rest'] = [];
  for (const cell of cells) {
    const whole = withoutDecimals(visibleText(cell).replace(/^['’]/, ''));
    const text = whole.slice(0, mostCharacters);
    const numbers = numbersIn(text, country);
    if (numbers && text !== whole) rest.push({ text: cell.trim(), why: 'is too long' });
    if (numbers === undefined) rest.push({ text: cell.trim(), why: whyNot(text, country) });
    for (const { number, more, unread } of numbers ?? []) {
      if (unread !== undefined) rest.push({ text: unread, why: whyNot(unread, country) });
      if (more) rest.push({ text: cell.trim(), why: 'has more than a number' });
      if (number) found.add(number);
    }
  }
  const [phone, ...others] = found;
  for (const text of others) rest.push({ text, why: 'is a further phone number' });
  return { ...(phone !== undefined && { phone }), rest };
};

/** A spreadsheet that takes a phone for a number with decimals writes `5511988887777.0`. */
const withoutDecimals = (text: string): string => text.replace(/^(\+?\d+)[.,]0{1,2}$/, '$1');

interface Found {
  number?: string;
  /** The text had an extension, or words. */
  more?: boolean;
  unread?: string;
}

/** The numbers of a text, with what is between them and can't be read; undefined where it has none. */
const numbersIn = (text: string, country: string | undefined): Found[] | undefined => {
  const isOne = !strongSeparator.test(text) && !beginsWithNumber(text, country);
  const whole = isOne ? numberOf(text, country) : undefined;
  if (whole) return [whole];
  for (const separator of [strongSeparator, weakSeparator]) {
    const parts = text.split(separator).filter((part) => part.trim() !== '');
    if (parts.length < 2) continue;
    const all = parts.flatMap(
      (part) => numbersIn(part.trim(), country) ?? [{ unread: part.trim() }],
    );
    if (all.some(({ number }) => number)) return all;
  }
  return strongSeparator.test(text) ? single(text, country) : undefined;
};

/** Whether the text before a sign between blanks is a number by itself: with the text after it, it may be another number. */
const beginsWithNumber = (text: string, country: string | undefined): boolean => {
  const [first = '', ...others] = text.split(/\s\/\s|\s[-–—]\s/);
  return others.length > 0 && numberOf(first, country)?.number !== undefined;
};

const single = (text: string, country: string | undefined): Found[] | undefined => {
  const found = numberOf(text, country);
  return found && [found];
};

const numberOf = (text: string, country: string | undefined): Found | undefined => {
  // The form of the API, and of an export: as it is, whether or not anybody has the number.
  if (isE164(text)) return { number: text };
  if (/\d[.,]?\d*E\+?\d+/i.test(text)) return undefined;
  const [, extension] = otherExtension.exec(text) ?? [];
  const main = (extension ? text.replace(otherExtension, '') : text)
    .replace(/^\s*\(?\s*00(?=[\s(-]*[1-9])/, (zeros) => (zeros.includes('(') ? '(+' : '+'))
    .replace(/^\(\s*(\+\d{1,3})\s*\)/, '$1 ');
  const parsed = parsePhoneNumberFromString(main, country as CountryCode | undefined);
  const more = extension !== undefined || parsed?.ext !== undefined || hasWords(main);
  if (parsed?.isValid()) return { number: parsed.number, more };
  // Nobody may have it yet. What is too long for its country has more than a number.
  const number = parsed?.isPossible() ? withoutSeparators(main) : undefined;
  return number === undefined ? undefined : { number, more };
};

/** Words that say only that a number follows. */
const label =
  /^\W*(tel|telefone|tel[eé]fono|telefon|phone|fone|fon|cel|celular|mobile|mob|whatsapp|wa)\b\W*/i;

const hasWords = (text: string): boolean => /\p{L}/u.test(text.replace(label, ''));

export const isE164 = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text);

/** A number with its country, that libphonenumber does not know. */
const withoutSeparators = (text: string): string | undefined => {
  const plain = text.normalize('NFKC').replace(/\(0\)/g, '');
  if (!/^\+[\d\s().\-–—/_\u2010-\u2015\u2212]+$/.test(plain)) return undefined;
  const number = `+${plain.replace(/\D/g, '')}`;
  return isE164(number) ? number : undefined;
};

const whyNot = (text: string, country: string | undefined): string => {
  if (!/\d/.test(text)) return 'is no phone number';
  if (/^[\d.,]+E\+?\d+$/i.test(text)) return 'was shortened by a spreadsheet';
  if (country === undefined && !/^\s*(\+|00)/.test(text)) {
    return 'has no country: --country or --country-column says which';
  }
  return country === undefined ? 'is no phone number' : `is no phone number of ${country}`;
};
