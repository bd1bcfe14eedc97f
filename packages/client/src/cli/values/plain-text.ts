/** A text as people compare it: without accents, signs and upper case, and with single blanks. */
export const plainText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A text without invisible characters, and with usual blanks. Spreadsheets and web pages leave such ones in cells. */
export const visibleText = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{DI}\u2800]/gu, '')
    .replace(/\p{Zs}/gu, ' ')
    .trim();

/** A text in a message; of a long one the beginning. */
export const shown = (text: string): string =>
  text.length > 200 ? `“${text.slice(0, 200)}…”` : `“${text}”`;
