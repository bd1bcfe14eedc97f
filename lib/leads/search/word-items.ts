import { wordKey } from '../../table/keys.ts';
import type { Item, Write } from '../../table/table.ts';
import { type SearchableFields, wordsOf } from './words.ts';

interface SearchableLead {
  lead: SearchableFields & { id: string };
}

// docs/decisions/search.md
/**
 * Puts a lead's words in place of those that it had, in the transaction that changes it. Each item holds
 * all words: where one changes, all are written.
 */
export const updateWords = (
  organizationId: string,
  before: SearchableLead | undefined,
  after: SearchableLead | undefined,
): Write<'PutItem' | 'DeleteItem'>[] => {
  const had = before ? wordsOf(before.lead) : [];
  const has = after ? wordsOf(after.lead) : [];
  if (had.join(' ') === has.join(' ')) return [];
  const { id } = (after ?? before)!.lead;
  const words = joinWords(has);
  return [
    ...had
      .filter((word) => !has.includes(word))
      .map((word) => ({ Delete: { Key: wordKey(organizationId, word, id) } })),
    ...has.map((word) => ({ Put: { Item: { ...wordKey(organizationId, word, id), words } } })),
  ];
};

/** The words of a lead with a space on both sides of each, so that an expression finds words and their beginnings. */
const joinWords = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** What an item says: the lead, and all of its words. */
export const parseWordItem = ({ sk, words }: Item): { id: string; words: string[] } => ({
  id: String(sk).slice(String(sk).indexOf(' ') + 1),
  words: String(words).trim().split(' '),
});
