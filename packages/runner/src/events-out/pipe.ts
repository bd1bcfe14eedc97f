import { setTimeout } from 'node:timers/promises';
import type { Invocation } from '../lambda/environment.ts';
import type { Pattern, Pipe } from '../template/pipe.ts';
import type { TableStream } from './stream.ts';
import { mostRecords, type StreamRecord } from './streams-api.ts';

/** How long to wait for more to come, in milliseconds, and after a failure: longer each time. */
const pace = 100;
const [firstRetry, lastRetry] = [200, 5000];

/** An event, as a rule on the bus sees it. */
export interface BusEvent {
  source: string;
  'detail-type': string;
  detail: Record<string, unknown>;
}

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
      // Read at once after each record, a stream that is written to would have one record at a time.
      wait = (await stream.read(handle)) < mostRecords ? pace : 0;
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

const matches = (pattern: Pattern, value: unknown): boolean =>
  Object.entries(pattern).every(([key, inner]) => {
    const at = (value as Record<string, unknown> | undefined)?.[key];
    if (!Array.isArray(inner)) return matches(inner, at);
    return inner.some((one) =>
      typeof one === 'string' ? at === one : typeof at === 'string' && at.startsWith(one.prefix),
    );
  });

const passes = ({ patterns }: Pipe, record: StreamRecord): boolean =>
  patterns.some((pattern) => matches(pattern, record));

/** What the pipe gives to the bus for one enriched event. */
const toBusEvent = (pipe: Pipe, detail: Record<string, unknown>): BusEvent => {
  const value = (of: string) => (of.startsWith('$.') ? String(detail[of.slice(2)]) : of);
  return { source: value(pipe.source), 'detail-type': value(pipe.detailType), detail };
};
