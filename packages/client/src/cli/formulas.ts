// Spreadsheets run a cell that begins so, also where CSV has it in quotation marks. The last four are `=+-@` in wide forms.
const begins = '[=+\\-@\\t\\r\\n＝＋－＠]';
const formula = new RegExp(`^'*${begins}`);
const escaped = new RegExp(`^'+${begins}`);

/** Phone numbers too. They do nothing, and other programs read them. */
const number = /^[+-]?\d+(\.\d+)?$/;

/** A cell that no spreadsheet runs: what it would take for a formula gets a `'` in front. */
export const withoutFormula = (text: string): string =>
  formula.test(text) && !number.test(text) ? `'${text}` : text;

/** The text of such a cell, and of any other as it is. */
export const textOfCell = (cell: string): string => (escaped.test(cell) ? cell.slice(1) : cell);
