/** Letters that Unicode does not take apart, by what people write for them. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', ŧ: 't', þ: 'th' },
  ...{ ƀ: 'b', ȼ: 'c', ɇ: 'e', ǥ: 'g', ɨ: 'i', ɉ: 'j', ɍ: 'r', ʉ: 'u', ɏ: 'y', ƶ: 'z' },
  ...{ ⱥ: 'a', ⱦ: 't', ᵽ: 'p', ƚ: 'l' },
  // The last sigma of a word has a form of its own.
  ς: 'σ',
};
const letters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu');

/**
 * Text as it is compared: Unicode NFKD without marks and invisible characters, in lower case, with plain letters. By way of
 * capitals, in which `ß` is as `SS` and `ı` as `I`; and first in lower case, in which `ẞ` is as `ß`.
 */
export const foldText = (text: string): string =>
  removeMarks(removeMarks(text).toLowerCase().toUpperCase().toLowerCase()).replace(
    letters,
    (letter) => plainLetters[letter]!,
  );

/** Some letters have marks again once their case has changed. */
const removeMarks = (text: string): string =>
  text.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
