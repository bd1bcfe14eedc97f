/** Wakes the webhook worker for an organization, or for one of its webhooks. Sent twice, it does no more than once. */
export interface Wake {
  organization_id: string;
  webhook_id?: string | undefined;
}

/** Sends wakes to the queue of the webhook worker. */
export interface Wakes {
  /** `delayMs` is at most 15 minutes, which is as long as SQS waits. Throws `unavailable`. */
  send(wake: Wake, delayMs?: number): Promise<void>;
}
