import type * as z from 'zod/mini';
import type { Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { Schema } from '../request.ts';

/** A function that is given the events of others, from the service's bus by way of a queue. */
export interface QueueConsumer<G extends Grant = Grant, Message extends Schema = Schema> {
  id: string;
  summary: string;
  /** What of the bus is put into its queue. */
  events: { source: string; types: readonly string[] };
  /** An event: its detail, with its detail-type as `type`. */
  message: Message;
  table: readonly G[];
  /** Messages of one organization are handled together. */
  organizationOf(message: z.core.output<Message>): string;
  /**
   * Handles messages of one organization, in their order. Returns an error for each that is to be delivered again, and in
   * the end set aside; undefined for one that is done with. If it throws, that is the error of all of them.
   */
  handle(messages: readonly z.core.output<Message>[], table: Table<G>): Promise<readonly unknown[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: what is needed of it does not depend on its types.
export type AnyQueueConsumer = QueueConsumer<any, any>;

export const defineQueueConsumer = <const G extends Grant, Message extends Schema>(
  consumer: QueueConsumer<G, Message>,
): QueueConsumer<G, Message> & { kind: 'queue' } => ({ kind: 'queue', ...consumer });
