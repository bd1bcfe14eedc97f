import { decimalsOf, isCurrency, isSignOf } from './currencies.ts';
import { type NumberCountry, readDecimal, withWhole } from './numbers.ts';
import { visibleText } from './plain-text.ts';
import { wholeText } from './spreadsheets.ts';

/** Which currency amounts are of (ISO 4217), and how they are written. */
export interface AmountReading {
  currency: string;
  country?: NumberCountry;
}

/** An amount in the smallest unit of its currency, or why it can’t be read. */
export type AmountRead = { cents: number } | { why: string };

/**
 * Reads an amount as people write it: in figures, with a sign or the code of the currency, or without. Nothing else is
 * taken for an amount: `5k` and `2 mil` would be a guess, and another currency is another amount.
 */
export const readAmount = (cell: string, { currency, country }: AmountReading): AmountRead => {
  const written = withWhole(visibleText(cell));
  const [, before = '', figures = '', after = ''] =
    /^(\D*)(\d(?:.*\d)?[.,]?)(\D*)$/s.exec(written) ?? [];
  if (figures === '') return { why: 'is no amount' };
  if (endsOpen(before, currency)) return { why: 'is no amount, or may be two' };
  const isNegative = /[-−]/.test(before);
  for (const text of [before.replace(/[-−+]/, ''), after].map((one) => one.trim())) {
    if (text === '' || isSignOf(currency, text)) continue;
    return { why: isCurrency(text) ? `is not in ${currency}` : 'is no amount in figures' };
  }
  const decimals = decimalsOf(currency);
  const decimal = readDecimal(figures, country);
  if (decimal === undefined || mayBeTwo(figures, decimal, decimals)) {
    const hint = country === undefined ? ': --country says how they are written' : '';
    return { why: `is no amount, or may be two${hint}` };
  }
  if (isNegative && /[1-9]/.test(decimal)) return { why: 'is below 0' };
  const [whole = '', part = ''] = decimal.replace(/(\.\d*?)0+$/, '$1').split('.');
  if (part.length > decimals) return { why: `has more decimals than ${currency || 'a cent'}` };
  const cents = Number(`${whole}${part.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(cents) ? { cents } : { why: 'is too large' };
};

/** Whether the text before figures ends with a sign that may be one before decimals: `$.50`, but not `Rs.50`. */
const endsOpen = (before: string, currency: string): boolean =>
  /[.,]\s*$/.test(before) &&
  (!/\p{L}\.\s*$/u.test(before) || before.toUpperCase().includes(currency));

/**
 * Whether a sign may stand before thousands all the same, though people of the country write decimals after it, or the reverse:
 * nobody writes three decimals of a currency that has two, and programs write a point before three decimals everywhere.
 */
const mayBeTwo = (figures: string, decimal: string, decimals: number): boolean => {
  const [, mark] = /^[1-9]\d{0,2}([.,])\d{3}$/.exec(figures) ?? [];
  if (mark === undefined) return false;
  const isRead = decimal.includes('.');
  return decimals < 3 ? isRead : mark === '.' && !isRead;
};

/** A whole number; what is none, or too large, stays a text, so that the service says so. */
export const centsOf = (cell: string): number | string => {
  const text = wholeText(cell.trim());
  return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : cell;
};
