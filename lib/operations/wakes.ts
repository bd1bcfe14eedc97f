/** Wakes the workers for what follows an organization's feed, or for one follower. Sent twice, it does no more than once. */
export interface Wake {
  organization_id: string;
  /** The consumer, and the id of its follower. Without them, all of the organization. */
  consumer?: string | undefined;
  id?: string | undefined;
}

/** Sends wakes to the queue of the workers. */
export interface Wakes {
  /** `delayMs` is at most 15 minutes, which is as long as SQS waits. Throws `unavailable`. */
  send(wake: Wake, delayMs?: number): Promise<void>;
}
