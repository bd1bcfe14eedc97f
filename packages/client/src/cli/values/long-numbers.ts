import { readDecimal } from './numbers.ts';

/** Who keeps how many digits of a number: zeros take the place of all after them. */
const writers = [
  { digits: 15, who: 'a spreadsheet' },
  { digits: 17, who: 'a program' },
] as const;
const [{ digits: fewest }] = writers;

/**
 * Numbers of 16 or more digits, by the column of a file. Where all of a column have only zeros after the 15th digit, a spreadsheet has
 * shortened them; a program, after the 17th. A text is no number where a mark stands before it, as `'`.
 */
export class LongNumbers {
  /** Digits before the zeros at the end, at most. */
  readonly #kept = new Map<number, number>();

  add(column: number, cell: string): void {
    const number = longNumber(cell);
    if (number === undefined) return;
    this.#kept.set(column, Math.max(number.kept, this.#kept.get(column) ?? 0));
  }

  /** Why a cell has lost digits; undefined where it has all of them. */
  lossOf(column: number, cell: string): string | undefined {
    const kept = this.#kept.get(column);
    if (kept === undefined) return undefined;
    const writer = writers.find(({ digits }) => kept <= digits);
    if (writer === undefined || (longNumber(cell)?.all ?? 0) <= writer.digits) return undefined;
    const { digits, who } = writer;
    return `seems shortened by ${who}: it has only zeros after its ${digits}th digit. If it is right, --values says so`;
  }
}

/** How many digits a whole number has, and how many without the zeros at its end; undefined for a shorter number, or none. */
const longNumber = (cell: string): { all: number; kept: number } | undefined => {
  if (cell.length <= fewest) return undefined;
  const [whole = '', part = ''] = (readDecimal(cell) ?? '').split('.');
  const digits = whole.replace(/^-?0*/, '');
  if (digits.length <= fewest) return undefined;
  return { all: digits.length, kept: `${digits}${part}`.replace(/0+$/, '').length };
};
