import { LastSeen } from './last-seen.ts';

/** How many names are remembered. A forgotten one begins at a random place again. */
const mostRemembered = 1000;

/**
 * Picks one request in `every`, for each name by itself. The first pick is at a random place, the next ones follow at
 * equal distances. So every request has the same chance, and the count of one environment is off by one sample at most.
 */
export class Sampler {
  readonly every: number;
  readonly #random: () => number;
  /** By name, the weight that may still come before the next sample. */
  readonly #left = new LastSeen<number>(mostRemembered);

  constructor(every: number, random = () => Math.random()) {
    this.every = every;
    this.#random = random;
  }

  /** How many samples a request of this weight is: 0 for most. */
  take(name: string, weight: number): number {
    let left = (this.#left.get(name) ?? this.#random() * this.every) - weight;
    let samples = 0;
    for (; left < 0; left += this.every) samples++;
    this.#left.set(name, left);
    return samples;
  }
}
