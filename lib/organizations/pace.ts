/** Half of what DynamoDB lets a table write in a second, unless the account has more. */
const unitsPerSecond = 20_000;
/** Units that a batch writes as fast as it can: three times what a hundred usual leads take. */
const unitsAtOnce = 10_000;

// docs/decisions/request-limit.md
/**
 * Milliseconds for which a batch has to wait after it has written this many units. So it leaves half of the table to all
 * others, however dear its parts are. `startedAt` and `now` are milliseconds since the epoch.
 */
export const paceMs = (units: number, startedAt: number, now: number): number =>
  Math.max(0, startedAt + ((units - unitsAtOnce) / unitsPerSecond) * 1000 - now);
