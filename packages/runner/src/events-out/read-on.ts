import { setTimeout } from 'node:timers/promises';
import type { TableStream } from './stream.ts';
import type { StreamRecord } from './streams-api.ts';

/** How long to wait where nothing is new, and after a failure: longer each time. */
const idle = 100;
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
      wait = (await stream.read(handle)) > 0 ? 0 : idle;
      retryAfter = firstRetry;
    } catch (error) {
      console.error(`${delayed}: ${(error as Error).message}`);
      wait = retryAfter;
      retryAfter = Math.min(2 * retryAfter, lastRetry);
    }
    if (wait > 0) await setTimeout(wait, undefined, { signal }).catch(() => {});
  }
};
