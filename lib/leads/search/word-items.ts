import * as z from 'zod/mini';
import { places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import { type Item, toKey, type Write } from '../../table/table.ts';
import { put, remove } from '../../table/write.ts';
import { type SearchableFields, wordsOf } from './words.ts';

interface SearchableLead {
  lead: SearchableFields & { id: string };
}

export const wordKind = new Kind(places.word, {
  holds: 'leads with a word, or with words that begin so',
  attributes: z.object({
    /** All words of the lead, with a space on both sides of each: so an expression finds their beginnings. */
    words: z.string(),
  }),
});

/** Words with the same first character share a partition, in order. */
export const wordsPartition = (organizationId: string, word: string): string =>
  wordKind.partition({ organizationId, initial: initialOf(word) });

const initialOf = (word: string): string => [...word][0] ?? '';

// docs/decisions/lists.md
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
  const { id: leadId } = (after ?? before)!.lead;
  const keyOf = (word: string) =>
    wordKind.key({ organizationId, initial: initialOf(word), word, leadId });
  const words = ` ${has.join(' ')} `;
  return [
    ...had.filter((word) => !has.includes(word)).map((word) => remove(keyOf(word))),
    ...has.map((word) => put(keyOf(word), { words })),
  ];
};

/** The lead of an item, and all of the lead's words. */
export const leadOfWord = {
  parse: (item: Item): { leadId: string; words: string[] } => ({
    leadId: wordKind.idsOf(toKey(item)).leadId,
    words: wordKind.parse(item).words.trim().split(' '),
  }),
};
