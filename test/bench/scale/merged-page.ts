import { random } from '../../faults/random.ts';

const pageSize = 51;
const leadBytes = 430;
const trials = 2000;

export interface MergedPage {
  units: number;
  /** In a row. */
  trips: number;
}

/**
 * A page of the newest leads, when each lead is in one of some partitions by chance: the same number is
 * read of each at once, and again of those that had all of theirs in the page so far.
 */
export const mergedPage = (partitions: number, seed: number): MergedPage => {
  const next = random(seed);
  const atOnce = Math.min(pageSize, Math.ceil((1.5 * pageSize) / partitions) + 1);
  const totals = { units: 0, trips: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const inPage = Array.from({ length: partitions }, () => 0);
    for (let n = 0; n < pageSize; n++) inPage[Math.floor(next() * partitions)]!++;
    let open = inPage;
    for (let read = atOnce; open.length > 0; read += atOnce) {
      totals.trips++;
      totals.units += open.length * unitsOf(atOnce);
      // One that had more to give than the page took is read far enough.
      open = partitions === 1 ? [] : open.filter((count) => count >= read);
    }
  }
  return { units: totals.units / trials, trips: totals.trips / trials };
};

const unitsOf = (leads: number): number => Math.ceil((leads * leadBytes) / 4096) / 2;
