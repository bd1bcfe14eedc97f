import { answerBeforeTimeout, lastAttempt } from '../../../lib/handlers/deadline.ts';

/** DynamoDB's documented limits. */
export const limits = {
  /** Of one partition, and of one item. */
  writeUnitsASecond: 1000,
  readUnitsASecond: 3000,
  /** Of a table on demand, unless AWS raises it; the quota of write and of read units. */
  tableUnitsASecond: 40_000,
};

/** What a create writes where other creates write as well, but for owners and tags: those are several. */
export const createUnits = {
  /** The end of the organization's list. */
  lead: 2,
  /** The ends of the pipeline's list and of its first stage's. */
  index: 1,
  count: 2,
};

/** How long a create is tried again, in milliseconds: of the 11 seconds of its function. */
export const patience = 11_000 - answerBeforeTimeout - lastAttempt;

/** Not documented: how long a transaction is under way. Another one on the same item is refused meanwhile. */
export const transactionMilliseconds = 10;
