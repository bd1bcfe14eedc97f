// Spreadsheets run what begins so. The last four are `=+-@` in wide forms.
const sign = '=+\\-@＝＋－＠';
// Quotation marks and blanks before it don’t keep every spreadsheet from it.
const before = `["'\\p{Zs}]*`;
const formula = `${before}[${sign}]`;
/**
 * Where a cell begins: at the beginning of the text, and after what other spreadsheets split at, though it is quoted here. A
 * tab or a line break at the very beginning can hide a formula, too.
 */
const begins = `(?:^(?=${before}[${sign}\\t\\r\\n])|(?<=[;\\t\\r\\n])(?=${formula}))`;
const bare = new RegExp(begins, 'gu');
const marked = new RegExp(
  `(?:^'(?=${before}[${sign}\\t\\r\\n])|(?<=[;\\t\\r\\n])'(?=${formula}))`,
  'gu',
);

/** Phone numbers too. They do nothing, and other programs read them. */
const number = /^[+-]?\d+(\.\d+)?$/;

/** A cell that no spreadsheet runs: what it would take for a formula gets a `'` in front. */
export const withoutFormula = (text: string): string =>
  number.test(text) ? text : text.replace(bare, "'");

/** The text of such a cell, and of any other as it is. */
export const textOfCell = (cell: string): string => cell.replace(marked, '');
