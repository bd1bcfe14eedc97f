import type { Invocation } from '../lambda/environment.ts';
import { passes } from '../template/patterns.ts';
import type { Pipe } from '../template/pipe.ts';
import { readOn } from './read-on.ts';
import type { TableStream } from './stream.ts';
import type { StreamRecord } from './streams-api.ts';

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
  const handle = async (records: StreamRecord[]) => {
    const wanted = records.filter((record) => passes(pipe.patterns, record));
    for (let i = 0; i < wanted.length; i += pipe.batchSize) {
      const events = await enriched(wanted.slice(i, i + pipe.batchSize), options);
      for (const event of events) options.deliver(toBusEvent(pipe, event));
    }
  };
  return readOn(stream, handle, 'Events are delayed');
};

const enriched = async (
  records: StreamRecord[],
  { enrich }: PipeOptions,
): Promise<Record<string, unknown>[]> => {
  const outcome = await enrich(records);
  if (outcome.kind === 'error') throw new Error(`${outcome.errorType}: ${outcome.errorMessage}`);
  return JSON.parse(outcome.payload ?? '[]');
};

/** What the pipe gives to the bus for one enriched event. */
const toBusEvent = (pipe: Pipe, detail: Record<string, unknown>): BusEvent => {
  const value = (of: string) => (of.startsWith('$.') ? String(detail[of.slice(2)]) : of);
  return { source: value(pipe.source), 'detail-type': value(pipe.detailType), detail };
};
