import { LastSeen } from './last-seen.ts';

/** How many names are remembered. A forgotten one begins at a random place again. */
const mostRemembered = 1000;

/**
 * Picks one request in so many, by name. The first is picked at random and then each so-many-th, so that every request
 * has the same chance, and the count of one environment is never off by more than one sample.
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
