import { readDecimal } from './numbers.ts';
import { visibleText } from './plain-text.ts';

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
