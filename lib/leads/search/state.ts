import type { Item } from '../../table/table.ts';

/**
 * Whether an organization's leads can be searched. While `reindexing`, new leads get their word items at once, and
 * an admin command adds those of older leads.
 */
export type SearchState = 'on' | 'reindexing' | 'off';

/** The state that the organization's item holds. */
export const toSearchState = (organization: Item | undefined): SearchState =>
  (organization?.search ?? 'off') as SearchState;

export const searchItem = (state: SearchState): Item => ({ search: state });

/** Whether a lead that is written gets its word items. */
export const needsWordItems = (organization: Item | undefined): boolean =>
  toSearchState(organization) !== 'off';
