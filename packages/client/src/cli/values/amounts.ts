import { visibleText } from './plain-text.ts';

/**
 * A number as people write it, in the form of JSON: `1,250.00`, `1.250,00` and `1250` are 1250.00 or 1250. Undefined for what is
 * none, and where one sign may stand before thousands or decimals, as in `1.250`, unless the country (ISO 3166-1) says which.
 */
export const readDecimal = (cell: string, country?: string): string | undefined => {
  const [, minus = '', text = ''] = /^([-−]?)(.*)$/s.exec(
    visibleText(cell).replace(/[\s'’]/g, ''),
  )!;
  if (!/^\d[\d.,]*$/.test(text)) return undefined;
  const sign = decimalSign(text, country);
  if (sign === undefined) return undefined;
  const [whole = '', part, ...more] = sign === '' ? [text] : text.split(sign);
  if (more.length > 0 || !hasThousands(whole) || !/^\d*$/.test(part ?? '')) return undefined;
  return `${minus && '-'}${whole.replace(/[.,]/g, '')}${part ? `.${part}` : ''}`;
};

/** The cents of an amount as people write it, with or without its currency. */
export const readCents = (cell: string, country?: string): number | undefined => {
  const text = visibleText(cell).replace(
    /^(?:\p{Sc}|\p{L}{1,3}\p{Sc}?\.?)\s*|\s*(?:\p{Sc}|\p{L}{1,3}\.?)$/gu,
    '',
  );
  const [, whole, part = ''] =
    /^(\d+)(?:\.(\d*?)0*)?$/.exec(readDecimal(text, country) ?? '') ?? [];
  if (whole === undefined || part.length > 2) return undefined;
  const cents = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return Number.isSafeInteger(cents) ? cents : undefined;
};

/** The sign before the decimals, `''` where there are none; undefined where it is not known. */
const decimalSign = (text: string, country: string | undefined): string | undefined => {
  const signs = text.replace(/\d/g, '');
  const last = signs.at(-1) ?? '';
  if (new Set(signs).size > 1) return last;
  if (signs.length > 1) return '';
  if (!/^[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return last;
  if (country === undefined) return undefined;
  const locale = new Intl.Locale(`und-${country}`).maximize();
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value === last ? last : '';
};

const hasThousands = (text: string): boolean => /^\d+$|^\d{1,3}([.,]\d{2,3})*[.,]\d{3}$/.test(text);
