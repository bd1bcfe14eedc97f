import { setTimeout } from 'node:timers/promises';
import type { Invocation } from './environment.ts';
import { type BusEvent, type Pipe, passes, type StreamRecord, toBusEvent } from './pipe.ts';
import type { TableStream } from './stream.ts';

/** How long to wait where nothing is new, and after a failure: longer each time. */
const idle = 100;
const [firstRetry, lastRetry] = [200, 5000];

export interface PipeOptions {
  enrich: (records: StreamRecord[]) => Promise<Invocation>;
  deliver: (event: BusEvent) => void;
}

/**
 * Plays a pipe of the template: the stream's records through its filter and its enrichment. What
 * fails is tried again until it succeeds; nothing is passed over.
 */
export const startPipe = (
  stream: TableStream,
  pipe: Pipe,
  options: PipeOptions,
): { close: () => Promise<void> } => {
  const stopping = new AbortController();
  const handle = async (records: StreamRecord[]) => {
    const wanted = records.filter((record) => passes(pipe, record));
    for (let i = 0; i < wanted.length; i += pipe.batchSize) {
      const events = await enriched(wanted.slice(i, i + pipe.batchSize), options);
      for (const event of events) options.deliver(toBusEvent(pipe, event));
    }
  };
  const running = run(stream, handle, stopping.signal);
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
  signal: AbortSignal,
): Promise<void> => {
  let retryAfter = firstRetry;
  while (!signal.aborted) {
    let wait = 0;
    try {
      wait = (await stream.read(handle)) > 0 ? 0 : idle;
      retryAfter = firstRetry;
    } catch (error) {
      console.error(`Events are delayed: ${(error as Error).message}`);
      wait = retryAfter;
      retryAfter = Math.min(2 * retryAfter, lastRetry);
    }
    if (wait > 0) await setTimeout(wait, undefined, { signal }).catch(() => {});
  }
};

const enriched = async (
  records: StreamRecord[],
  { enrich }: PipeOptions,
): Promise<Record<string, unknown>[]> => {
  const outcome = await enrich(records);
  if (outcome.kind === 'error') throw new Error(`${outcome.errorType}: ${outcome.errorMessage}`);
  return JSON.parse(outcome.payload ?? '[]');
};
