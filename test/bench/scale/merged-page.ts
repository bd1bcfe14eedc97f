import { random } from '../../support/random.ts';

/** A page of 50, and one lead more. */
const pageSize = 51;
const leadBytes = 430;
/** As many leads as half a unit reads. */
const leadsOfHalfUnit = Math.floor(4096 / leadBytes);
const trials = 2000;

export interface MergedPage {
  units: number;
  /** In a row. */
  trips: number;
}

/**
 * A page of the newest leads, when each lead is in one of some partitions by chance: the same number is
 * read of each at once, enough for nearly always, and again of those that had it all in the page.
 */
export const mergedPage = (partitions: number, seed: number): MergedPage => {
  const next = random(seed);
  const atOnce = toRead(pageSize / partitions);
  const totals = { units: 0, trips: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const inPage = Array.from({ length: partitions }, () => 0);
    for (let n = 0; n < pageSize; n++) inPage[Math.floor(next() * partitions)]!++;
    let open = inPage;
    for (let read = atOnce; open.length > 0; read += atOnce) {
      totals.trips++;
      totals.units += open.length * unitsOf(atOnce);
      open = read >= pageSize ? [] : open.filter((count) => count >= read);
    }
  }
  return { units: totals.units / trials, trips: totals.trips / trials };
};

/** Three standard deviations more than there are on average, in whole halves of units. */
const toRead = (average: number): number => {
  const enough = Math.min(pageSize, average + 3 * Math.sqrt(average));
  return Math.min(pageSize, Math.ceil(enough / leadsOfHalfUnit) * leadsOfHalfUnit);
};

const unitsOf = (leads: number): number => Math.ceil((leads * leadBytes) / 4096) / 2;
