import { decimalsOf, isCurrency, isSignOf } from './currencies.ts';
import { type NumberCountry, readDecimal } from './numbers.ts';
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
  const [, before = '', figures = '', after = ''] =
    /^(\D*)(\d(?:.*\d)?[.,]?)(\D*)$/s.exec(visibleText(cell)) ?? [];
  if (figures === '') return { why: 'is no amount' };
  const isNegative = /[-−]/.test(before);
  for (const text of [before.replace(/[-−+]/, ''), after].map((one) => one.trim())) {
    if (text === '' || isSignOf(currency, text)) continue;
    return { why: isCurrency(text) ? `is not in ${currency}` : 'is no amount in figures' };
  }
  const decimals = decimalsOf(currency);
  const decimal = readDecimal(figures, country);
  // Programs write a point before three decimals, also where people write it before thousands.
  const mayBeTwo = decimals === 3 && /^\d{1,3}\.\d{3}$/.test(figures) && !decimal?.includes('.');
  if (decimal === undefined || mayBeTwo) {
    const hint = country === undefined ? ': --country says how they are written' : '';
    return { why: `is no amount, or may be two${hint}` };
  }
  if (isNegative && /[1-9]/.test(decimal)) return { why: 'is below 0' };
  const [whole = '', part = ''] = decimal.replace(/(\.\d*?)0+$/, '$1').split('.');
  if (part.length > decimals) return { why: `has more decimals than ${currency || 'a cent'}` };
  const cents = Number(`${whole}${part.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(cents) ? { cents } : { why: 'is too large' };
};

/** A whole number; what is none, or too large, stays a text, so that the service says so. */
export const centsOf = (cell: string): number | string => {
  const text = wholeText(cell.trim());
  return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : cell;
};
