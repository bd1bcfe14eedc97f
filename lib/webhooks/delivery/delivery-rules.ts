import type { webhookStatuses } from '../../changes/webhook-fact.ts';
import type { Verdict } from './verdict.ts';

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/**
 * Milliseconds from a failed attempt to the next attempt: the first number is for one failed attempt of the change, and
 * so on.
 */
export const waitsMs: readonly number[] = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
];
/** Failures in a row after which a webhook is paused. */
export const mostFailures = 10;
// docs/decisions/consumers.md
/** The most changes that wait for another attempt. */
export const mostWaiting = 1000;
/** A `Retry-After` counts for no longer than this, in milliseconds. */
export const longestRetryAfterMs = 24 * hours;

export type Status = (typeof webhookStatuses)[number];

/** A change that failed, and is to be tried again. */
export interface WaitingChange {
  sequence: number;
  /** How many of its attempts count as failed: 0 if it failed while attempts don't count. */
  attempts: number;
  /** Milliseconds since the epoch. */
  due: number;
}

/** The progress of a webhook: how far it is, and what it waits for. */
export interface Progress {
  status: Status;
  /** No change up to this sequence is to be read from the feed again. */
  checkpoint: number;
  /** Changes after the checkpoint that are done with. The checkpoint cannot pass them yet: others before them are not. */
  done: readonly number[];
  /** Oldest first. */
  waiting: readonly WaitingChange[];
  /** Failures since the last success. */
  failures: number;
  /** Failed probes since the webhook was paused. */
  probes: number;
  /** No attempt before this time: milliseconds since the epoch, 0 for none. */
  backoffUntil: number;
  /** How many changes were given up so far. */
  givenUp: number;
}

export const newProgress = (checkpoint: number): Progress => ({
  status: 'active',
  checkpoint,
  done: [],
  waiting: [],
  failures: 0,
  probes: 0,
  backoffUntil: 0,
  givenUp: 0,
});

/** An attempt that has ended. */
export interface Attempt {
  sequence: number;
  /** Whether the attempt was a probe of an endpoint that is down. */
  probe: boolean;
}

export type DeliveryOutcome = 'delivered' | 'failed' | 'given_up';

/** The result of an attempt that has ended. */
export interface Settlement {
  progress: Progress;
  outcome: DeliveryOutcome;
  /** A change that was given up to make room for the attempted change. */
  eviction?: WaitingChange | undefined;
}

/** The work that may be attempted now. */
export type DueWork =
  /** Nothing before `until`; where that is undefined, nothing until something changes. */
  | { kind: 'nothing'; until?: number }
  /** One change alone: the next change of the feed, or, if the feed has none, this change that waits. */
  | { kind: 'probe'; retry: number | undefined }
  /** Changes to attempt: those that wait for a retry, then new changes of the feed. */
  | { kind: 'all'; due: readonly number[] };

/**
 * The work to attempt. A paused webhook is probed by another change each time: a change that is always refused must not
 * keep it paused.
 */
export const dueWorkOf = (progress: Progress, now: number): DueWork => {
  const { status, waiting, probes, backoffUntil } = progress;
  if (status === 'disabled') return { kind: 'nothing' };
  if (backoffUntil > now) return { kind: 'nothing', until: backoffUntil };
  if (status === 'paused') {
    return { kind: 'probe', retry: waiting[probes % waiting.length]?.sequence };
  }
  return {
    kind: 'all',
    due: waiting.filter(({ due }) => due <= now).map(({ sequence }) => sequence),
  };
};

/**
 * When the next attempt is due, in milliseconds since the epoch. During a backoff, it is when a new change may
 * be attempted. Undefined where nothing waits.
 */
export const nextDue = (
  { status, waiting, backoffUntil }: Progress,
  now: number,
): number | undefined => {
  if (status === 'disabled') return undefined;
  if (backoffUntil > now) return backoffUntil;
  if (waiting.length === 0) return undefined;
  if (status === 'paused') return backoffUntil;
  return Math.min(...waiting.map(({ due }) => due));
};

/** Takes an attempt's verdict into account. */
export const settle = (
  before: Progress,
  attempt: Attempt,
  verdict: Verdict,
  now: number,
): Settlement => {
  if (verdict.kind === 'delivered') {
    return { progress: afterSuccess(before, attempt), outcome: 'delivered' };
  }
  if (verdict.kind === 'gone') {
    return { progress: { ...before, status: 'disabled' }, outcome: 'failed' };
  }
  if (before.status !== 'active') {
    return attempt.probe
      ? afterFailedProbe(before, attempt.sequence, verdict, now)
      : { progress: before, outcome: 'failed' };
  }
  return afterFailure(before, attempt.sequence, verdict, now);
};

/**
 * The endpoint is back: the webhook is active again unless it is disabled. Changes that wait keep their times, most of
 * which have passed. `backoffUntil` stays, too: the endpoint may have asked for it.
 */
const afterSuccess = (before: Progress, { sequence }: Attempt): Progress => ({
  ...markDone(before, sequence),
  status: before.status === 'paused' ? 'active' : before.status,
  failures: 0,
  probes: 0,
  waiting: before.waiting.filter((one) => one.sequence !== sequence),
});

/** A new change that failed waits from then on, so that the next probe takes another change. */
const afterFailedProbe = (
  before: Progress,
  sequence: number,
  verdict: Verdict,
  now: number,
): Settlement => {
  const probes = before.probes + 1;
  const wait = Math.max(waitsMs[Math.min(probes, waitsMs.length - 1)]!, retryAfterOf(verdict));
  const next = { ...before, probes, backoffUntil: now + wait };
  const waited = before.waiting.some((one) => one.sequence === sequence);
  if (waited) return { progress: next, outcome: 'failed' };
  const one = { sequence, attempts: 0, due: now + waitsMs[0]! };
  // Nothing else is under way beside a probe.
  return addWaiting(markDone(next, sequence), one, before.waiting);
};

/**
 * Has one more change wait. Where there is no room, the change that failed most often is given up. If it were the new
 * change, an endpoint that refuses one in ten of 10,000 changes a day would lose 0.7 % of those that it takes, at 1 % of
 * hiccups.
 */
const addWaiting = (
  before: Progress,
  one: WaitingChange,
  others: readonly WaitingChange[],
): Settlement => {
  const waiting = inOrder([...before.waiting, one]);
  if (waiting.length <= mostWaiting) {
    return { progress: { ...before, waiting }, outcome: 'failed' };
  }
  const givenUp = [...others, one].reduce((a, b) => (b.attempts > a.attempts ? b : a));
  const progress = {
    ...before,
    waiting: waiting.filter((each) => each !== givenUp),
    givenUp: before.givenUp + 1,
  };
  return givenUp === one
    ? { progress, outcome: 'given_up' }
    : { progress, outcome: 'failed', eviction: givenUp };
};

const inOrder = (waiting: WaitingChange[]): WaitingChange[] =>
  waiting.sort((a, b) => a.sequence - b.sequence);

const afterFailure = (
  before: Progress,
  sequence: number,
  verdict: Verdict,
  now: number,
): Settlement => {
  const retryAfterMs = retryAfterOf(verdict);
  const failures = before.failures + 1;
  const others = before.waiting.filter((one) => one.sequence !== sequence);
  const earlier = before.waiting.find((one) => one.sequence === sequence)?.attempts ?? 0;
  const backoffUntil =
    retryAfterMs > 0 ? Math.max(before.backoffUntil, now + retryAfterMs) : before.backoffUntil;
  const progress = { ...markDone(before, sequence), waiting: others, failures, backoffUntil };
  const pauses = failures >= mostFailures;
  // The failure that pauses does not count for its change: it may be the endpoint's.
  const attempts = pauses ? earlier : earlier + 1;
  const wait = pauses ? waitsMs[0]! : waitsMs[attempts - 1];
  if (wait === undefined) {
    return { progress: { ...progress, givenUp: before.givenUp + 1 }, outcome: 'given_up' };
  }
  const due = now + Math.max(wait, retryAfterMs);
  // A change that is due may be under way.
  const idle = others.filter((one) => one.due > now);
  return addWaiting(pauses ? pause(progress, now) : progress, { sequence, attempts, due }, idle);
};

const pause = (before: Progress, now: number): Progress => ({
  ...before,
  status: 'paused',
  probes: 0,
  backoffUntil: Math.max(before.backoffUntil, now + waitsMs[0]!),
});

const retryAfterOf = (verdict: Verdict): number =>
  verdict.kind === 'failed' ? Math.min(verdict.retryAfterMs ?? 0, longestRetryAfterMs) : 0;

const markDone = (before: Progress, sequence: number): Progress =>
  sequence <= before.checkpoint || before.done.includes(sequence)
    ? before
    : { ...before, done: [...before.done, sequence] };

/**
 * Moves the checkpoint over what is done with. `read` is how far the feed was read, `open` are the changes of
 * it that are not done with.
 */
export const moveCheckpoint = (
  before: Progress,
  read: number,
  open: Iterable<number>,
): Progress => {
  let checkpoint = read;
  for (const sequence of open) checkpoint = Math.min(checkpoint, sequence - 1);
  if (checkpoint < before.checkpoint) return before;
  const done = before.done.filter((sequence) => sequence > checkpoint).sort((a, b) => a - b);
  return { ...before, checkpoint, done };
};

/** Without a change that waits: its type is no longer asked for. */
export const dropWaiting = (before: Progress, sequence: number): Progress => ({
  ...before,
  waiting: before.waiting.filter((one) => one.sequence !== sequence),
});

/** The owner asked for it: all changes that wait are tried at once, and the feed is read on from the checkpoint. */
export const resume = (before: Progress, now: number): Progress => ({
  ...before,
  status: 'active',
  failures: 0,
  probes: 0,
  backoffUntil: 0,
  waiting: before.waiting.map((one) => ({ ...one, due: Math.min(one.due, now) })),
});

/** Sets the checkpoint. What waits after it is in the feed again, what waits before it goes on waiting. */
export const replayFrom = (before: Progress, after: number): Progress => ({
  ...before,
  checkpoint: after,
  done: [],
  waiting: before.waiting.filter(({ sequence }) => sequence <= after),
});
