import { machineNow } from '@leads-and-stars/runner';
import { InvalidArgumentError } from 'commander';

const unitMs: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** A time of the clock, as a command line says it: so much later, or itself, in milliseconds since the epoch. */
export type ClockTime = { later: number } | { at: number };

/** `+30d`, `+12h`, `+5m`, `+10s`, or a time in ISO 8601 with its offset. */
export const clockTime = (text: string): ClockTime => {
  const [, count, unit = ''] = /^\+(\d{1,9})([dhms])$/.exec(text) ?? [];
  if (count !== undefined) return { later: Number(count) * unitMs[unit]! };
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return { at };
  throw new InvalidArgumentError('It must be as +30d, +12h, +5m, +10s or 2027-01-31T09:00:00Z.');
};

/** By how much a clock is ahead of the machine's that begins at a time. */
export const aheadMs = (time: ClockTime): number =>
  'later' in time ? time.later : time.at - machineNow();
