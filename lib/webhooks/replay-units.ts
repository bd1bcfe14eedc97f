/** Written units that the delivery of one change takes: those of its entry in the log. */
const unitsOfDelivery = 2;

/** More changes than a webhook gets in a minute. Whoever replays once more gives up the rest of the first replay. */
const mostCounted = 30_000;

/** The units that workers are going to write where a webhook goes back from one change to after another. */
export const unitsOfReplay = (from: number, after: number): number =>
  unitsOfDelivery * Math.min(mostCounted, Math.max(0, from - after));
