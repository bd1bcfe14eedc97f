import { mostItemsExamined, ReadBudget } from '../../table/read-budget.ts';
import type { Table } from '../../table/table.ts';
import type { Lead } from '../lead.ts';
import { readSelection } from '../lists/selection.ts';
import { type Filters, matchesFilters } from '../lists/terms/filters.ts';
import { idRange, isWithin, type KeyRange } from '../lists/terms/ranges.ts';
import { readLeads } from '../read-leads.ts';
import { mostLeadUnits, toStoredLead } from '../stored-lead.ts';
import {
  isExhausted,
  readWordRange,
  type WordRange,
  wholeWordsEnd,
  wordRanges,
} from './read-words.ts';
import { matchWords, type Term, type WordMatch, wordsOf } from './words.ts';

const mostItemsPerQuery = 250;
/** Leads that are read at a time, and of a search with filters in all: each takes a unit, at least. */
const [leadsAtOnce, mostLeadsFiltered] = [100, 200];
/** The units of a word item at most, for the first read, and of all that a search reads. */
const [wordUnits, mostWordUnits] = [0.5, 120];

export interface SearchQuery {
  terms: readonly Term[];
  filters: Filters;
  limit: number;
  /** Items that are examined at most. */
  mostItems?: number;
}

/**
 * The leads that match all terms, strongly consistent: those that have them as whole words first, then newest
 * first, among what was examined. `more` if there are more, or may be more beyond what was examined. No term matches none.
 */
export const search = async (
  table: Table<'GetItem' | 'Query'>,
  organizationId: string,
  { terms, filters, limit, mostItems = mostItemsExamined }: SearchQuery,
): Promise<{ items: Lead[]; more: boolean }> => {
  if (terms.length === 0) return { items: [], more: false };
  // Filters are compared with the leads themselves: so an update of the stage writes no words.
  const leadsToRead = isFiltered(filters) ? Math.min(mostItems / 2, mostLeadsFiltered) : limit;
  const items = mostItems - leadsToRead;
  const words = new ReadBudget({ units: mostWordUnits, items, unitsOfItem: wordUnits });
  const [{ ids, complete }, stages] = await Promise.all([
    findMatches(table, organizationId, {
      terms,
      range: idRange(filters),
      wanted: isFiltered(filters) ? leadsToRead : limit + 1,
      budget: words,
    }),
    filters.outcome && readSelection(table, organizationId, filters).then(({ stages }) => stages),
  ]);
  const budget = new ReadBudget({ unitsOfItem: mostLeadUnits });
  budget.take({ examined: 0, units: mostWordUnits - words.units });
  const found: Lead[] = [];
  let [read, isSpent] = [0, false];
  while (found.length <= limit && read < Math.min(ids.length, leadsToRead) && !isSpent) {
    // Where most of the leads match, a page of them is enough.
    const most = read === 0 ? limit + 1 : leadsAtOnce;
    const chunk = ids.slice(read, read + Math.min(most, leadsToRead - read));
    const leadItems = await readLeads(table, organizationId, chunk, budget);
    read += leadItems.length;
    isSpent = leadItems.length < chunk.length;
    const leads = leadItems.flatMap((item) => (item ? toStoredLead(item).lead : []));
    found.push(
      ...leads.filter(
        (lead) => matchesFilters(lead, filters, stages) && matchWords(wordsOf(lead), terms),
      ),
    );
  }
  const more = found.length > limit || read < ids.length || !complete;
  return { items: found.slice(0, limit), more };
};

/** The times of creation are in the ids. */
const isFiltered = ({ tags, created_from: _from, created_to: _to, ...fields }: Filters): boolean =>
  tags.length > 0 || Object.values(fields).some((value) => value !== undefined);

interface MatchQuery {
  terms: readonly Term[];
  range: KeyRange;
  wanted: number;
  budget: ReadBudget;
}

/**
 * Reads the words of all terms side by side. Each lead that matches is found under a word of every term. So once a
 * term has been read to its end, all leads are found. It also ends when as many leads as are wanted have the whole
 * words, or when enough was examined.
 */
const findMatches = async (
  table: Table<'Query'>,
  organizationId: string,
  { terms, range, wanted, budget }: MatchQuery,
): Promise<{ ids: string[]; complete: boolean }> => {
  let ranges = wordRanges(terms);
  const matches = new Map<string, WordMatch>();
  const scope = { table, organizationId, terms, range };
  for (let share = wanted; ; share *= 2) {
    const reading = ranges.filter((wordRange) => !isExhausted(wordRange));
    const each = Math.min(share, mostItemsPerQuery) * reading.length;
    const limit = Math.floor(budget.affordable(each) / reading.length);
    if (limit === 0) return { ids: rank(matches), complete: false };
    const reads = await Promise.all(
      reading.map((wordRange) => readWordRange(scope, wordRange, limit)),
    );
    for (const { items, examined, units } of reads) {
      budget.take({ examined, units });
      for (const { leadId, words } of items)
        if (isWithin(range, leadId)) matches.set(leadId, matchWords(words, terms));
    }
    const after = new Map(reading.map((wordRange, i) => [wordRange, reads[i]!.wordRange]));
    ranges = ranges.map((wordRange) => after.get(wordRange) ?? wordRange);
    if (terms.some((term) => rangesOfTerm(ranges, term).every(isExhausted))) {
      return { ids: rank(matches), complete: true };
    }
    if (countWhole(matches, wholeWordsReach(terms, ranges)) >= wanted) {
      return { ids: rank(matches), complete: false };
    }
  }
};

const rangesOfTerm = (ranges: readonly WordRange[], term: Term) =>
  ranges.filter((wordRange) => wordRange.term === term);

/** All leads down to this id that have every term as a whole word have been found. Empty if all have been found. */
const wholeWordsReach = (terms: readonly Term[], ranges: readonly WordRange[]): string => {
  const last = (ids: string[]) => ids.sort().at(-1)!;
  const reaches = terms.map((term) => last(rangesOfTerm(ranges, term).map(wholeWordsEnd)));
  return reaches.sort()[0]!;
};

const countWhole = (matches: ReadonlyMap<string, WordMatch>, downTo: string): number =>
  [...matches].filter(([id, match]) => match === 'whole' && id >= downTo).length;

/** Whole words first, then newest first. */
const rank = (matches: ReadonlyMap<string, WordMatch>): string[] => {
  const newestFirst = [...matches].sort(([a], [b]) => (a < b ? 1 : -1));
  const ids = (match: WordMatch) =>
    newestFirst.filter(([, one]) => one === match).map(([id]) => id);
  return [...ids('whole'), ...ids('beginning')];
};
