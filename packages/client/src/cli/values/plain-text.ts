/** A text as people compare it: without accents, signs and upper case, and with single blanks. */
export const plainText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * A value as people compare it: without accents, upper case and commas after words, with single blanks, also for `-` and `_` between
 * letters. Other signs count: “C#” is not “C++”, and “>10” is not “<10”.
 */
export const alikeText = (text: string): string =>
  visibleText(text)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/(?<=\p{L})[,.;:](?=\s|$)/gu, '')
    .replace(/(?<=\p{L})[\s_-]+(?=\p{L})/gu, ' ')
    .replace(/\s+/g, ' ');

/** A text without invisible characters, and with usual blanks. Spreadsheets and web pages leave other blanks in cells. */
export const visibleText = (text: string): string =>
  text
    .replace(/[\p{Cf}\p{DI}\u2800]/gu, '')
    .replace(/\p{Zs}/gu, ' ')
    .trim();

/** A text as messages show it: only the beginning of a long text. */
export const excerptOf = (text: string): string =>
  text.length > 200 ? `“${text.slice(0, 200)}…”` : `“${text}”`;
