import { foldText } from '../../schema/text/fold.ts';
import { phoneWords, splitAtPhones } from './phones.ts';

/** Distinct words by which a lead is found at most: so the largest merge fits into a transaction. */
export const mostWords = 11;

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
 * part and its domain, then its phone number, from both of its ends.
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
    ...phoneWords(phone ?? ''),
  ];
  return [...new Set(all)].slice(0, mostWords);
};

const truncate = (word: string): string =>
  word.length <= mostWordCharacters ? word : [...word].slice(0, mostWordCharacters).join('');

/** Split at everything but letters and digits. */
export const splitWords = (text: string): string[] =>
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
 * The text between two spaces of a query, or a phone number. `words` are its words, `others` the whole text as an address or a
 * number may have it. A lead matches if it has all `words`, or one of the `others`, whole or as the beginning of a word.
 */
export interface Term {
  words: readonly string[];
  others: readonly string[];
}

/** What a query asks for: a lead has to match each of its terms. Empty if the query has no letter and no digit. */
export const parseTerms = (query: string): Term[] => {
  const terms = splitAtPhones(foldText(query)).flatMap(({ text, phones }) =>
    phones.length > 0 ? [phoneTerm(text, phones)] : text.split(/\s+/u).flatMap(termsOf),
  );
  const distinct = new Map(terms.map((term) => [JSON.stringify(term), term]));
  return [...distinct.values()];
};

const phoneTerm = (text: string, phones: readonly string[]): Term => {
  const words = [...new Set(splitWords(text))];
  return { words, others: phones.filter((phone) => !words.includes(phone)) };
};

const termsOf = (text: string): Term[] => {
  const words = [...new Set(splitWords(text))];
  if (words.length === 0) return [];
  const address = addressWord(text);
  // Nothing but an address has this sign: its parts would find far more.
  if (address.includes('@')) return [{ words: [trimAddressEnd(address)], others: [] }];
  return [{ words, others: words.length === 1 && words[0] === address ? [] : [address] }];
};

/** How many words a query has: each costs. What may stand in an address or a number is no word more. */
export const countWords = (terms: readonly Term[]): number =>
  terms.reduce((sum, { words }) => sum + words.length, 0);

/** How well the words of a lead match a query: as whole words, by beginnings only, or not at all. */
export type WordMatch = 'whole' | 'beginning' | undefined;

export const matchWords = (words: readonly string[], terms: readonly Term[]): WordMatch => {
  const matchesEach = (has: (word: string) => boolean): boolean =>
    terms.every((term) => term.words.every(has) || term.others.some(has));
  if (matchesEach((word) => words.includes(word))) return 'whole';
  return matchesEach((word) => words.some((one) => one.startsWith(word))) ? 'beginning' : undefined;
};
