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
  /** Work to do once the handler has ended or its time is up, and before the answer. Each has a time bound of its own. */
  endings: (() => Promise<void>)[];
}

export const openRequest = (
  { requestId, startedAt }: RequestStart,
  table: TableClient,
  memory: Memory,
): OpenRequest => ({
  requestId,
  startedAt,
  table,
  memory,
  endings: [],
  uncountedRequests: 0,
});

/** Ends what the request still does with the table, and does its endings. */
export const endRequest = async ({
  table,
  endings,
}: Pick<OpenRequest, 'table' | 'endings'>): Promise<void> => {
  table.end();
  await Promise.all(endings.splice(0).map((end) => end()));
};

/**
 * Works with an inner request within an open request, which may have several: at once, or one after the other. Its units
 * and endings are its own, so each is counted by what it took itself. It ends with the work, or with the outer request.
 */
export const workWithin = async <T>(
  outer: OpenRequest,
  work: (inner: OpenRequest) => Promise<T>,
): Promise<T> => {
  const { table, memory } = outer;
  const inner = openRequest(outer, table.within(), memory);
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= endRequest(inner).then(() => addTo(outer, inner));
    return ending;
  };
  outer.endings.push(end);
  try {
    return await work(inner);
  } finally {
    await end();
  }
};

/** Adds to the outer request what an inner request took and learned. */
const addTo = (outer: OpenRequest, inner: OpenRequest): void => {
  outer.table.unitsByKind.read += inner.table.unitsByKind.read;
  outer.table.unitsByKind.written += inner.table.unitsByKind.written;
  outer.uncountedRequests += inner.uncountedRequests;
  outer.organizationId = inner.organizationId ?? outer.organizationId;
  if (inner.verdict) outer.verdict = inner.verdict;
};
