import * as z from 'zod/mini';
import { webhookStatuses } from '../../changes/webhook-fact.ts';
import type { Progress } from './delivery-rules.ts';

/** The attributes of a webhook’s item that hold its progress. */
export const storedProgress = {
  status: z.enum(webhookStatuses),
  checkpoint: z.int(),
  done: z.readonly(z.array(z.int())),
  /** Sequence, attempts, and due time. Stored without names, as a thousand changes can wait. */
  waiting: z.array(z.tuple([z.int(), z.int(), z.number()])),
  failures: z.int(),
  probes: z.int(),
  backoff_until: z.number(),
  given_up: z.int(),
};
type StoredProgress = z.output<z.ZodMiniObject<typeof storedProgress>>;

/** The progress in a webhook’s item. */
export const toProgress = (item: StoredProgress): Progress => ({
  status: item.status,
  checkpoint: item.checkpoint,
  done: item.done,
  waiting: item.waiting.map(([sequence, attempts, due]) => ({ sequence, attempts, due })),
  failures: item.failures,
  probes: item.probes,
  backoffUntil: item.backoff_until,
  givenUp: item.given_up,
});

/** The attributes of the item that hold a progress. */
export const progressAttributes = (progress: Progress): StoredProgress => ({
  status: progress.status,
  checkpoint: progress.checkpoint,
  done: progress.done,
  waiting: progress.waiting.map(({ sequence, attempts, due }) => [sequence, attempts, due]),
  failures: progress.failures,
  probes: progress.probes,
  backoff_until: progress.backoffUntil,
  given_up: progress.givenUp,
});
