import type { Item } from '../../table/table.ts';

/**
 * Whether an organization's leads can be searched. While `reindexing`, new leads have their words, and those
 * from before are given theirs.
 */
export type SearchState = 'on' | 'reindexing' | 'off';

/** As the organization's item has it. */
export const toSearchState = (organization: Item | undefined): SearchState =>
  (organization?.search ?? 'off') as SearchState;

export const searchItem = (state: SearchState): Item => ({ search: state });

/** Whether a new lead is given its words. */
export const makesSearchable = (organization: Item | undefined): boolean =>
  toSearchState(organization) !== 'off';
