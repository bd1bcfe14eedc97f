/** Written units that the delivery of one change takes: those of its entry in the log. */
const unitsOfDelivery = 2;

/** More than a webhook is posted in a minute. Whoever goes back once more gives up what was left of the time before. */
const mostCounted = 30_000;

/** The units that workers are going to write where a webhook goes back from one change to after another. */
export const unitsOfReplay = (from: number, after: number): number =>
  unitsOfDelivery * Math.min(mostCounted, Math.max(0, from - after));
