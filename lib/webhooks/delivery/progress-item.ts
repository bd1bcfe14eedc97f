import type { Item } from '../../table/table.ts';
import type { Progress, Status } from './delivery-rules.ts';

/** An event that waits takes a few bytes, as there can be a thousand. */
type StoredWaiting = [sequence: number, attempts: number, due: number];

/** A webhook’s progress, from its item. */
export const toProgress = (item: Item): Progress => ({
  status: item.status as Status,
  position: item.position as number,
  done: item.done as number[],
  waiting: (item.waiting as StoredWaiting[]).map(([sequence, attempts, due]) => ({
    sequence,
    attempts,
    due,
  })),
  failures: item.failures as number,
  probes: item.probes as number,
  heldUntil: item.held_until as number,
  givenUp: item.given_up as number,
});

/** What is stored of it. */
export const progressAttributes = (progress: Progress): Item => ({
  status: progress.status,
  position: progress.position,
  done: progress.done,
  waiting: progress.waiting.map(
    ({ sequence, attempts, due }): StoredWaiting => [sequence, attempts, due],
  ),
  failures: progress.failures,
  probes: progress.probes,
  held_until: progress.heldUntil,
  given_up: progress.givenUp,
});
