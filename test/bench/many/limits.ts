import { lastAttemptMs, replyBeforeTimeoutMs } from '../../../lib/table/deadline.ts';

/** DynamoDB's documented limits. */
export const limits = {
  /** Of one partition, and of one item. */
  writeUnitsASecond: 1000,
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
export const patience = 11_000 - replyBeforeTimeoutMs - lastAttemptMs;

/** Not documented: how long a transaction is under way. Another one on the same item is refused meanwhile. */
export const transactionMilliseconds = 10;
/** Likewise: how much longer it is with each item. */
export const itemMilliseconds = 0.3;
/** Likewise: what a read takes, from the function and back. */
export const readMilliseconds = 3;

/** What a spend writes in the partition of the ledger: its entry below 1 KB, and later the entry's number. */
export const spendUnits = { entry: 2, number: 2 };
