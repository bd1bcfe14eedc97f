/** Distinct words by which a lead is found at most. */
export const mostWords = 12;

/** Characters after which a word is cut: a sort key has room for as many of four bytes. */
const mostWordCharacters = 200;

/** What of a lead is searched, in this order. */
export interface SearchableFields {
  contact_name: string;
  company_name: string | null;
  email: string | null;
  phone: string | null;
}

/**
 * The first distinct words of a lead: those of its names, then its email address whole, the address's local
 * part and its domain, then its phone number.
 */
export const wordsOf = ({
  contact_name,
  company_name,
  email,
  phone,
}: SearchableFields): string[] => {
  const all = [
    ...splitWords(contact_name),
    ...splitWords(company_name ?? ''),
    ...addressWords(email ?? ''),
    ...splitWords(phone ?? ''),
  ];
  return [...new Set(all)].slice(0, mostWords);
};

/**
 * Text as it is compared: Unicode NFKD without marks, in lower case. By way of capitals, in which `ß` is as `SS` and
 * `ı` as `I`; and first in lower case, in which `ẞ` is as `ß`.
 */
const foldText = (text: string): string =>
  removeMarks(removeMarks(text).toLowerCase().toUpperCase().toLowerCase())
    // The last sigma of a word has a form of its own.
    .replaceAll('ς', 'σ');

/** Some letters have marks again once their case has changed. */
const removeMarks = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

const truncate = (word: string): string =>
  word.length <= mostWordCharacters ? word : [...word].slice(0, mostWordCharacters).join('');

/** Split at everything but letters and digits. */
const splitWords = (text: string): string[] =>
  foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(truncate);

/** What comes before the first letter or digit does not count. */
const addressWord = (text: string): string =>
  truncate(foldText(text).replace(/^[^\p{L}\p{N}]+/u, ''));

/** What comes after the last letter or digit of a domain is around the address, as in `Ana <ana@example.com>`. */
const trimAddressEnd = (address: string): string => address.replace(/[^\p{L}\p{N}@]+$/u, '');

const addressWords = (email: string): string[] => {
  const at = email.lastIndexOf('@');
  return [email, email.slice(0, Math.max(at, 0)), email.slice(at + 1)]
    .map(addressWord)
    .filter((word) => word !== '');
};

/**
 * The text between two spaces of a query: its words, and all of it as it may stand in an address. A lead matches if it
 * has all of the words or the address, each as a word or as the beginning of one.
 */
export interface Term {
  words: readonly string[];
  address?: string;
}

/** What a query asks for: a lead has to match each of its terms. Empty if the query has no letter and no digit. */
export const parseTerms = (query: string): Term[] => {
  const terms = foldText(query)
    .split(/\s+/u)
    .flatMap((text): Term[] => {
      const words = [...new Set(splitWords(text))];
      if (words.length === 0) return [];
      const address = addressWord(text);
      // Nothing but an address has this sign: its parts would find far more.
      if (address.includes('@')) return [{ words: [trimAddressEnd(address)] }];
      return [words.length === 1 && words[0] === address ? { words } : { words, address }];
    });
  const distinct = new Map(terms.map((term) => [JSON.stringify(term), term]));
  return [...distinct.values()];
};

/** How many words a query has: each costs. What may stand in an address is no word more. */
export const countWords = (terms: readonly Term[]): number =>
  terms.reduce((sum, { words }) => sum + words.length, 0);

/** How well the words of a lead match a query: as whole words, by beginnings only, or not at all. */
export type WordMatch = 'whole' | 'beginning' | undefined;

export const matchWords = (words: readonly string[], terms: readonly Term[]): WordMatch => {
  const matchesEach = (has: (word: string) => boolean): boolean =>
    terms.every(
      (term) => term.words.every(has) || (term.address !== undefined && has(term.address)),
    );
  if (matchesEach((word) => words.includes(word))) return 'whole';
  return matchesEach((word) => words.some((one) => one.startsWith(word))) ? 'beginning' : undefined;
};
