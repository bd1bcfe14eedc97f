import type { TableClient } from '../table/client.ts';
import type { CountedRequest } from './limiter.ts';
import type { Memory } from './memory.ts';

/** When a request came, and how facts and the log name it. */
export interface RequestStart {
  requestId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** A request that has no answer yet, whatever brought it. */
export interface OpenRequest extends RequestStart, CountedRequest {
  memory: Memory;
  /** The organization, once it is known. */
  organizationId?: string | undefined;
  /** What is done once the work is over or its time is up, and before the answer. Each has a bound of its own. */
  endings: (() => Promise<void>)[];
}

export const openRequest = (
  start: RequestStart,
  table: TableClient,
  memory: Memory,
): OpenRequest => ({ ...start, table, memory, endings: [], uncountedRequests: 0 });

/** Ends what the request still does with the table, and does its endings. */
export const endRequest = async ({
  table,
  endings,
}: Pick<OpenRequest, 'table' | 'endings'>): Promise<void> => {
  table.end();
  await Promise.all(endings.splice(0).map((end) => end()));
};
