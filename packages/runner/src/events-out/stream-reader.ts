import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { TableStream } from './stream.ts';
import { mostRecords, type StreamRecord } from './streams-api.ts';

/** How long to wait for more to come, in milliseconds, and after a failure: longer each time. */
const pace = 100;
const [firstRetry, lastRetry] = [200, 5000];

/**
 * Reads a stream until it is closed. What fails to be handled is told, and read again until it succeeds;
 * nothing is passed over.
 */
export const readOn = (
  stream: TableStream,
  handle: (records: StreamRecord[]) => Promise<void>,
  delayed: string,
): { close: () => Promise<void> } => {
  const stopping = new AbortController();
  const running = run(stream, handle, delayed, stopping.signal);
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
};

const run = async (
  stream: TableStream,
  handle: (records: StreamRecord[]) => Promise<void>,
  delayed: string,
  signal: AbortSignal,
): Promise<void> => {
  let retryAfter = firstRetry;
  while (!signal.aborted) {
    let wait = 0;
    try {
      // Read at once after each record, a stream that is written to would have one record at a time.
      wait = (await stream.read(handle)) < mostRecords ? pace : 0;
      retryAfter = firstRetry;
    } catch (error) {
      // In quotation marks, without orders to the terminal: a function's error can hold text of a client.
      console.error(`${delayed}: ${inspect((error as Error).message)}`);
      wait = retryAfter;
      retryAfter = Math.min(2 * retryAfter, lastRetry);
    }
    if (wait > 0) await setTimeout(wait, undefined, { signal }).catch(() => {});
  }
};
