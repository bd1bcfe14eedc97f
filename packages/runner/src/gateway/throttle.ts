import type { ThrottleLimits } from '../template/rest-api.ts';

/** The token bucket of one method: a burst at once, and the rate from then on. */
export class Throttle {
  readonly #limits: ThrottleLimits;
  /** In milliseconds. */
  readonly #clock: () => number;
  #tokens: number;
  #filledAt: number;

  constructor(limits: ThrottleLimits, clock = () => performance.now()) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = limits.burst;
    this.#filledAt = clock();
  }

  /** Whether a request may pass now. */
  take(): boolean {
    const { burst, ratePerSecond } = this.#limits;
    const now = this.#clock();
    const gained = ((now - this.#filledAt) / 1000) * ratePerSecond;
    this.#tokens = Math.min(burst, this.#tokens + gained);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
