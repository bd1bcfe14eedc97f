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

/** What is not documented or not fixed. */
export const assumed = {
  /** How long a transaction is under way: another one on the same item is refused meanwhile. */
  transactionMilliseconds: 10,
  /** The SDK's: attempts, and the first wait's upper end, which doubles. */
  attempts: 5,
  waitMilliseconds: 100,
};
