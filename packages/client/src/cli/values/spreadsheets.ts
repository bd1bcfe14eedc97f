// A spreadsheet puts these in the place of values when it saves a file: nobody can read them back. Without `+`, programs that read
// workbooks write it; with `-`, it is below 1.
const shortened = /^[-+]?\d(?:[.,]\d+)?e\+\d{2,3}$|^[-+]?\d[.,]\d+e-?\d{1,3}$/i;
const tooNarrow = /^#{3,}$/;
/**
 * What the errors of formulas are called in English, Portuguese, Spanish, French, German, Italian and Dutch, Polish, Czech, Croatian,
 * Swedish, Danish and Norwegian, Finnish, Hungarian and Russian.
 */
const errors = [
  'DIV/0 REF NUM NULL VALUE NAME SPILL CALC ERROR FIELD BLOCKED CONNECT',
  'NÚM NULO VALOR NOME NOMBRE DESPEJAR EXCEDE CÁLC DESBORDAMIENTO',
  'NUL VALEUR NOM PROPAGATION WERT BEZUG ZAHL ÜBERLAUF KALK',
  'NULLO VALORE RIF ESPANSIONE DEEL/0 WAARDE VERW NAAM GETAL LEEG',
  'ARG ADR LICZBA DZIEL/0 NAZWA ZERO N/D HODNOTA ČÍSLO DĚLENÍ_NULOU NÁZEV ODKAZ',
  'VRIJEDNOST BROJ DIJ/0 NAZIV VÄRDEFEL OGILTIGT DIVISION/0 NAMN SAKNAS REFERENS SKÄRNING',
  'VÆRDI VERDI NAVN REFERENCE ARVO LUKU JAKO/0 NIMI PUUTTUU VIITTAUS TYHJÄ',
  'ÉRTÉK SZÁM ZÉRÓOSZTÓ NÉV HIV NULLA ЗНАЧ ЧИСЛО ДЕЛ/0 ИМЯ ССЫЛКА ПУСТО',
].flatMap((names) => names.split(' '));
const failed = new RegExp(
  `^(?:#[¡¿]?(?:${errors.join('|')})[!?]|#(?:N/[ABD]|NV|I/T|Н/Д|SAKNAS|HIÁNYZIK|NENÍ_K_DISPOZICI|GETTING_DATA)|Err:5\\d\\d)$`,
);

/** Why a cell has lost its value; undefined where it may still have it. */
export const lossOf = (cell: string): string | undefined => {
  const text = cell.trim();
  if (shortened.test(text)) return 'was shortened by a spreadsheet';
  if (tooNarrow.test(text)) return 'was too long for a column of a spreadsheet';
  return failed.test(text) ? 'is the error of a formula' : undefined;
};

/**
 * An id or a whole number, without the `.0` of a spreadsheet that took it for a number with decimals. Before three zeros, the sign may
 * stand between thousands.
 */
export const wholeText = (cell: string): string => cell.replace(/^\s*(\d+)[.,]0{1,2}\s*$/, '$1');

const unseen = '[\\s\\p{Cf}\\p{DI}]';
const aroundIt = new RegExp(`^${unseen}+|(?<!${unseen})${unseen}+$`, 'gu');

/** An id without what nobody sees around it: with a blank at its end, it would be another id. */
export const idText = (cell: string): string => wholeText(cell.replace(aroundIt, ''));

/** The text of `="007"` and `'007`, by which people keep a spreadsheet from taking a text for a number. Other cells as they are. */
export const textOfFormula = (cell: string): string =>
  /^="(?:[^"]|"")*"$/.test(cell)
    ? cell.slice(2, -1).replaceAll('""', '"')
    : cell.trimEnd().endsWith("'")
      ? cell
      : cell.replace(/^\s*'(?=\P{L}*$)(?=\D*\d)/u, '');
