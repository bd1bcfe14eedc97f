/** An event that the service sent, as a rule on the bus sees it. */
export interface SentEvent {
  'detail-type': string;
  detail: Record<string, unknown>;
}

export interface BusListener {
  /** The events since it began to listen. */
  received(): Promise<SentEvent[]>;
}
