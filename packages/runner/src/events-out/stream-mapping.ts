import type { Invocation } from '../lambda/runtime-process.ts';
import { passes } from '../template/patterns.ts';
import type { StreamMapping } from '../template/stream-mappings.ts';
import type { TableStream } from './stream.ts';
import { readContinuously } from './stream-reader.ts';
import type { StreamRecord } from './streams-api.ts';

/**
 * Plays an event source mapping from the table's stream to a function: its records through the filter, a
 * batch at a time. What fails is tried again until it succeeds, or is older than the mapping's greatest
 * age: then it is dropped, and told.
 */
export const startStreamMapping = (
  stream: TableStream,
  mapping: StreamMapping,
  invoke: (event: { Records: StreamRecord[] }) => Promise<Invocation>,
): { close: () => Promise<void> } => {
  const isYoung = ({ dynamodb: { ApproximateCreationDateTime: at = 0 } }: StreamRecord) =>
    Date.now() / 1000 - at <= mapping.mostAgeSeconds;

  const handle = async (records: StreamRecord[]) => {
    const wanted = records.filter((record) => passes(mapping.patterns, record));
    for (let i = 0; i < wanted.length; i += mapping.batchSize) {
      const batch = wanted.slice(i, i + mapping.batchSize);
      const { failed, why } = failedIn(batch, mapping, await invoke({ Records: batch }));
      if (failed.some(isYoung)) throw new Error(why);
      for (const { dynamodb } of failed) {
        console.error(`A record of the table's stream was dropped: ${dynamodb.SequenceNumber}`);
      }
    }
  };
  return readContinuously(stream, handle, `${mapping.functionLogicalId} is delayed`);
};

/** The records to be given again: from the first that the function names, or all if it failed. */
const failedIn = (
  batch: StreamRecord[],
  { partialResponses }: StreamMapping,
  outcome: Invocation,
): { failed: StreamRecord[]; why: string } => {
  if (outcome.kind === 'error') {
    return { failed: batch, why: `${outcome.errorType}: ${outcome.errorMessage}` };
  }
  const answer = partialResponses ? JSON.parse(outcome.payload ?? 'null') : null;
  const named = new Set(
    ((answer?.batchItemFailures ?? []) as { itemIdentifier: string }[]).map(
      ({ itemIdentifier }) => itemIdentifier,
    ),
  );
  const first = batch.findIndex(({ dynamodb }) => named.has(dynamodb.SequenceNumber));
  return {
    failed: named.size === 0 ? [] : batch.slice(Math.max(first, 0)),
    why: `${named.size} parts of a batch failed`,
  };
};
