import { AsyncLocalStorage } from 'node:async_hooks';
import { type Random, random } from '../support/random.ts';

const machine = { now: Date.now, setTimeout: globalThis.setTimeout };

/** The longest that goes by from one turn to the next, in milliseconds. */
const longestTurn = 8;

/**
 * Code in a time of its own: all that waits, for an answer or for a time, goes on one at a time, in an order that the
 * seed chooses. One world at a time: meanwhile the process has its clock.
 */
export class World {
  readonly next: Random;
  #now = machine.now();
  readonly #skew = new AsyncLocalStorage<number>();
  readonly #waiting: (() => unknown)[] = [];

  constructor(seed: number) {
    this.next = random(seed);
  }

  /** Does the work alone, when it is its turn, in the machine's own time: it may wait for what is outside. */
  turn<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(async () => {
        this.#giveBack();
        const outcome = work().then(
          (value) => () => resolve(value),
          (error) => () => reject(error),
        );
        const settle = await outcome;
        this.#takeOver();
        settle();
      });
    });
  }

  /** Waits for so many turns: before each of them, others may have theirs. */
  async letPass(turns: number): Promise<void> {
    for (let i = 0; i < turns; i++) await this.turn(async () => {});
  }

  /** Does the work by a clock that is so many milliseconds ahead. */
  skewed<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    return this.#skew.run(milliseconds, work);
  }

  leap(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Runs until the work is done and nothing waits. */
  async run(work: () => Promise<unknown>): Promise<void> {
    this.#takeOver();
    try {
      let ended = false;
      let failure: { error: unknown } | undefined;
      work()
        .catch((error) => {
          failure = { error };
        })
        .finally(() => {
          ended = true;
        });
      for (;;) {
        await allThatCan();
        if (failure) throw failure.error;
        if (this.#waiting.length === 0) break;
        this.leap(Math.floor(this.next() * longestTurn));
        const [step] = this.#waiting.splice(Math.floor(this.next() * this.#waiting.length), 1);
        await step!();
      }
      if (!ended) throw new Error('it waits for what is outside of this world');
    } finally {
      this.#giveBack();
    }
  }

  #takeOver(): void {
    Date.now = () => this.#now + (this.#skew.getStore() ?? 0);
    // Waits of the code are by chance themselves: they may take any time.
    globalThis.setTimeout = ((go: () => void) => {
      this.#waiting.push(go);
    }) as unknown as typeof setTimeout;
  }

  #giveBack(): void {
    Date.now = machine.now;
    globalThis.setTimeout = machine.setTimeout;
  }
}

/** Lets all code go on that does not wait for a turn. */
const allThatCan = async (): Promise<void> => {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
};
