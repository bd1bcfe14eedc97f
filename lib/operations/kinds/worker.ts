import type * as z from 'zod/mini';
import type { Grant } from '../../table/grants.ts';
import type { Table } from '../../table/table.ts';
import type { Schema } from '../request.ts';
import type { Wakes } from '../wakes.ts';

/** A function that works on messages which the service's own functions send, by a queue of its own. */
export interface Worker<G extends Grant = Grant, Message extends Schema = Schema> {
  id: string;
  summary: string;
  message: Message;
  table: readonly G[];
  /** Seconds that a message may take. */
  timeoutSeconds: number;
  /** Messages that are in work at the same time at most, each by an environment of its own. */
  concurrency: number;
  /**
   * Returns when the message is done with; throws to have it delivered again, and in the end set aside.
   * `isRedelivered`: it was delivered before.
   */
  handle(
    message: z.core.output<Message>,
    table: Table<G>,
    around: { wakes: Wakes; isRedelivered: boolean },
  ): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: what is needed of it does not depend on its types.
export type AnyWorker = Worker<any, any>;

export const defineWorker = <const G extends Grant, Message extends Schema>(
  worker: Worker<G, Message>,
): Worker<G, Message> & { kind: 'worker' } => ({ kind: 'worker', ...worker });
