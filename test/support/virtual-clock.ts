type Callback = (...args: unknown[]) => void;

interface Timer {
  at: number;
  call: Callback;
  isCancelled: boolean;
}

const realSetImmediate = setImmediate;
/** Until everything that waits for nothing but promises is done. */
const settle = () => new Promise<void>((resolve) => realSetImmediate(resolve));

/** Time that passes only as work asks for it: `Date.now`, timers and chance are its own while it runs. */
export class VirtualClock {
  now = Date.parse('2026-11-26T00:00:00Z');
  readonly #random: () => number;
  /** The next one first. */
  readonly #timers: Timer[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, () => resolve()));
  }

  after(milliseconds: number, call: Callback): Timer {
    const delay = Math.max(0, milliseconds);
    const timer = { at: this.now + delay, call, isCancelled: false };
    this.#timers.splice(this.#placeAfter(timer.at), 0, timer);
    return timer;
  }

  /** How many timers are due by then. */
  #placeAfter(time: number): number {
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#timers[middle]!.at <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Has so many milliseconds pass. */
  async run(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    const real = { Date: Date.now, random: Math.random, setTimeout, clearTimeout, setImmediate };
    this.#install();
    try {
      await settle();
      while (this.#timers.length > 0 && this.#timers[0]!.at <= end) {
        const timer = this.#timers.shift()!;
        if (timer.isCancelled) continue;
        this.now = timer.at;
        timer.call();
        await settle();
      }
      this.now = end;
    } finally {
      Date.now = real.Date;
      Math.random = real.random;
      const { setTimeout, clearTimeout, setImmediate } = real;
      Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate });
    }
  }

  #install(): void {
    // In whole milliseconds, as everywhere: keys are made of it.
    Date.now = () => Math.floor(this.now);
    Math.random = this.#random;
    const start = (call: Callback, milliseconds = 0, ...args: unknown[]) => {
      const timer = this.after(milliseconds, () => call(...args));
      return Object.assign(timer, { unref: () => timer, ref: () => timer });
    };
    Object.assign(globalThis, {
      setTimeout: start,
      // The SDK also clears timers by numbers that no timer has.
      clearTimeout: (timer?: Timer | number) => {
        if (typeof timer === 'object') timer.isCancelled = true;
      },
      setImmediate: (call: Callback, ...args: unknown[]) => start(call, 0, ...args),
    });
  }
}
