import type { Page } from './table.ts';

/** Read units that a request takes at most that passes over items. */
export const mostReadUnits = 250;
/** Most of these units are for the items: the request's other reads take few. */
const mostUnits = 240;
/** Items that a request examines at most. */
export const mostItemsExamined = 1000;
/** The units of a query at most: it ends at 1 MB, which is read eventually consistent. */
export const mostQueryUnits = 128;

interface BudgetTerms {
  units?: number;
  items?: number;
  /** The units that an item takes at most. */
  unitsOfItem: number;
}

// docs/decisions/request-limit.md
/**
 * What a request that passes over items may still read. No read is begun that could take more than what is left, if all its
 * items were as large as they can be.
 */
export class ReadBudget {
  #units: number;
  #items: number;
  readonly #unitsOfItem: number;

  constructor({ units = mostUnits, items = mostItemsExamined, unitsOfItem }: BudgetTerms) {
    this.#units = units;
    this.#items = items;
    this.#unitsOfItem = unitsOfItem;
  }

  /** The units that are left. */
  get units(): number {
    return this.#units;
  }

  /** The number of these items that queries, or reads by key, may take while `spare` units stay. */
  affordable(items: number, { queries = Number.POSITIVE_INFINITY, spare = 0 } = {}): number {
    const units = this.#units - spare;
    const isBounded = queries * mostQueryUnits <= units;
    const byUnits = isBounded ? items : Math.floor(units / this.#unitsOfItem);
    return Math.max(0, Math.min(items, this.#items, byUnits));
  }

  /** Notes what was read. */
  take({ examined, units }: Pick<Page, 'examined' | 'units'>): void {
    this.#items -= examined;
    this.#units -= units;
  }

  /** Allows as many items once more, of the same units. */
  renewItems(): void {
    this.#items = mostItemsExamined;
  }
}

/** Units that stay for the page itself, a query at least, where a list is first tried in another way. */
export const spareUnits = mostUnits - mostQueryUnits;
