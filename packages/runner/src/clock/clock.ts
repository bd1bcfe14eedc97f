import { CliError } from '../machine/cli-error.ts';
import type { State } from '../state/state.ts';
import { shiftDate, shiftMs } from './shifted-date.ts';

const place = 'clock';
/** Milliseconds after which the time is noted again. A runner that is killed may start earlier by as much. */
const noteAfterMs = 5000;
/** A year of four digits. */
const lastTime = Date.UTC(9999, 0);

/**
 * A clock that goes as the machine's does, and is moved on by hand, never back. `Date` tells its time, in this process and in
 * those of functions: so a process has only one clock.
 */
export class Clock {
  readonly #shifted = new Set<() => void>();
  readonly #moved: (() => unknown)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #state: State | undefined;

  /** `aheadMs`: of the machine's clock. */
  constructor(aheadMs: number) {
    shiftDate(aheadMs);
  }

  /** Has a listener told of another time, before anything is done at it; returns what takes the listener away. */
  onShift(listener: () => void): () => void {
    this.#shifted.add(listener);
    return () => void this.#shifted.delete(listener);
  }

  /** Has something done each time that the clock was moved, after what was given before. */
  onMove(work: () => unknown): void {
    this.#moved.push(work);
  }

  /** Moves the clock on by milliseconds. Returns once all is done that became due; throws `CliError` below 0. */
  async move(milliseconds: number): Promise<void> {
    if (milliseconds < 0) throw new CliError('The clock does not go back.');
    if (Date.now() + milliseconds >= lastTime) throw new CliError('The clock ends in 9999.');
    shiftDate(shiftMs() + milliseconds);
    this.#note();
    for (const listener of this.#shifted) listener();
    for (const work of this.#moved) await work();
  }

  /** Goes on from the time that is noted in a state, and notes it there. Throws `CliError` if that is later. */
  keepIn(state: State): void {
    const last = Number(state.place(place) ?? 0);
    if (Date.now() < last) {
      const time = new Date(last).toISOString();
      throw new CliError(`This database is at ${time}: give that time, or a later one.`);
    }
    this.#state = state;
    this.#note();
    this.#timer = setInterval(() => this.#note(), noteAfterMs).unref();
  }

  #note(): void {
    this.#state?.setPlace(place, String(Date.now()));
  }

  /** `Date` is the machine's again. */
  close(): void {
    clearInterval(this.#timer);
    this.#note();
    this.#state = undefined;
    shiftDate(0);
  }
}

/** Throws `CliError` where a state belongs to a clock of its own: by the machine's, its times would go back. */
export const assertNoClock = (state: State): void => {
  const last = state.place(place);
  if (last === undefined) return;
  const time = new Date(Number(last)).toISOString();
  throw new CliError(`This database has a clock of its own, and is at ${time}.`);
};
