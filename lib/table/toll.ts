/**
 * What a request has to pass before it takes units of the table. Each returns nothing where it may go on at once, and else a
 * promise that throws where it may not.
 */
export interface Toll {
  /** Before each read, with what it takes at least among the request's units. */
  beforeReading(): Promise<void> | undefined;
  /** Before each transaction, with the units that it is expected to take. */
  beforeWriting(units: number): Promise<void> | undefined;
}
