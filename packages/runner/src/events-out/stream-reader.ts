import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { TableStream } from './stream.ts';
import { mostRecords, type StreamRecord } from './streams-api.ts';

/** How long to wait for more to come, and after a failure: longer each time. */
const paceMs = 100;
const [firstRetryMs, lastRetryMs] = [200, 5000];

/**
 * Reads a stream until it is closed. What fails to be handled is told, and read again until it succeeds;
 * nothing is passed over.
 */
export const readContinuously = (
  stream: TableStream,
  handle: (records: StreamRecord[]) => Promise<void>,
  delayed: string,
): { close: () => Promise<void> } => {
  const stopping = new AbortController();
  const running = readUntilAborted(stream, handle, delayed, stopping.signal);
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
};

const readUntilAborted = async (
  stream: TableStream,
  handle: (records: StreamRecord[]) => Promise<void>,
  delayed: string,
  signal: AbortSignal,
): Promise<void> => {
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    let waitMs = 0;
    try {
      // Read at once after each record, a stream that is written to would have one record at a time.
      waitMs = (await stream.read(handle)) < mostRecords ? paceMs : 0;
      retryMs = firstRetryMs;
    } catch (error) {
      // In quotation marks, without orders to the terminal: a function's error can hold text of a client.
      console.error(`${delayed}: ${inspect((error as Error).message)}`);
      waitMs = retryMs;
      retryMs = Math.min(2 * retryMs, lastRetryMs);
    }
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal }).catch(() => {});
  }
};
