import { type Item, type QueryInput, type Table, toKey } from '../../table/table.ts';
import type { KeyRange } from '../lists/terms/ranges.ts';
import { leadOfWord, wordKind, wordsPartition } from './word-items.ts';
import type { Term } from './words.ts';

/**
 * The leads under a word and under all that begin with it: first those of the very word, newest first, then
 * the others, in the order of their words.
 */
export interface WordRange {
  term: Term;
  word: string;
  /** The very word first, then the words that begin with it. */
  phase: 'whole' | 'beginning' | 'end';
  last: Item | undefined;
}

/** The ranges to read for each term: those of one of its words, and of what may stand in an address or a number. */
export const wordRanges = (terms: readonly Term[]): WordRange[] =>
  terms.flatMap((term) =>
    [longest(term.words), ...term.others].map((word) => ({
      term,
      word,
      phase: 'whole' as const,
      last: undefined,
    })),
  );

/** The longest is likely to be the rarest. */
const longest = (words: readonly string[]): string =>
  words.reduce((a, b) => (b.length > a.length ? b : a));

export const isExhausted = ({ phase }: WordRange): boolean => phase === 'end';

/** The id down to which the leads with the very word have been read. Empty if all have been read. */
export const wholeWordsEnd = ({ phase, last }: WordRange): string => {
  if (phase !== 'whole') return '';
  return last ? wordKind.idsOf(toKey(last)).leadId : '~';
};

/** Values that are the same for every reading of a request. */
interface WordScope {
  table: Table<'Query'>;
  organizationId: string;
  terms: readonly Term[];
  range: KeyRange;
}

/** The result of a query, and its range with how far it has been read. */
interface WordPage {
  wordRange: WordRange;
  items: ReturnType<typeof leadOfWord.parse>[];
  examined: number;
  units: number;
}

/** Reads at most `limit` more items of a range. */
export const readWordRange = async (
  scope: WordScope,
  wordRange: WordRange,
  limit: number,
): Promise<WordPage> => {
  const read = await readPhase(scope, wordRange, limit);
  const left = limit - read.examined;
  // If few leads have the very word, the same round also reads the words that begin with it.
  if (wordRange.phase !== 'whole' || read.wordRange.phase !== 'beginning' || left <= 0) return read;
  const rest = await readPhase(scope, read.wordRange, left);
  return {
    wordRange: rest.wordRange,
    items: [...read.items, ...rest.items],
    examined: read.examined + rest.examined,
    units: read.units + rest.units,
  };
};

const readPhase = async (
  scope: WordScope,
  wordRange: WordRange,
  limit: number,
): Promise<WordPage> => {
  const { items, examined, units, last } = await scope.table.query({
    kind: leadOfWord,
    ...query(scope, wordRange, limit),
  });
  const next = wordRange.phase === 'whole' ? ('beginning' as const) : ('end' as const);
  return {
    wordRange: { ...wordRange, last, ...(last === undefined && { phase: next }) },
    items,
    examined,
    units,
  };
};

const query = (
  { organizationId, terms, range }: WordScope,
  { word, phase, last }: WordRange,
  limit: number,
): QueryInput<'Query'> => {
  const [from, to] =
    phase === 'whole'
      ? [`${word} ${range.from ?? ''}`, `${word} ${range.to ?? '~'}`]
      : [`${word}!`, `${word}\u{10ffff}`];
  const filter = filterOn(terms);
  return {
    condition: 'pk = :pk AND sk BETWEEN :from AND :to',
    values: {
      ':pk': wordsPartition(organizationId, word),
      ':from': from,
      ':to': to,
      ...filter?.values,
    },
    ...(filter && { filter: filter.filter, names: { '#words': 'words' } }),
    limit,
    startAfter: last,
    newestFirst: phase === 'whole',
    consistent: true,
  };
};

/** Drops what does not match the other terms; a single word needs none. */
const filterOn = (terms: readonly Term[]) => {
  if (terms.length === 1 && terms[0]!.words.length === 1 && terms[0]!.others.length === 0)
    return undefined;
  const values: Record<string, string> = {};
  const begins = (word: string): string => {
    const name = `:word${Object.keys(values).length}`;
    values[name] = ` ${word}`;
    return `contains(#words, ${name})`;
  };
  const filter = terms.map(({ words, others }) => {
    const all = words.map(begins).join(' AND ');
    return others.length > 0 ? `((${all}) OR ${others.map(begins).join(' OR ')})` : `(${all})`;
  });
  return { filter: filter.join(' AND '), values };
};
