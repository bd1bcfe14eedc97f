import type { Item } from '../../table/table.ts';
import type { Progress, Status } from './delivery-rules.ts';

/** Stored without names, as a thousand changes can wait. */
type StoredWaiting = [sequence: number, attempts: number, due: number];

/** The progress in a webhook’s item. */
export const toProgress = (item: Item): Progress => ({
  status: item.status as Status,
  checkpoint: item.checkpoint as number,
  done: item.done as number[],
  waiting: (item.waiting as StoredWaiting[]).map(([sequence, attempts, due]) => ({
    sequence,
    attempts,
    due,
  })),
  failures: item.failures as number,
  probes: item.probes as number,
  backoffUntil: item.backoff_until as number,
  givenUp: item.given_up as number,
});

/** The attributes of the item that hold a progress. */
export const progressAttributes = (progress: Progress): Item => ({
  status: progress.status,
  checkpoint: progress.checkpoint,
  done: progress.done,
  waiting: progress.waiting.map(
    ({ sequence, attempts, due }): StoredWaiting => [sequence, attempts, due],
  ),
  failures: progress.failures,
  probes: progress.probes,
  backoff_until: progress.backoffUntil,
  given_up: progress.givenUp,
});
