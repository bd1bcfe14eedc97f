import { judge, sample, sampleEvery } from '../../../lib/organizations/request-limit.ts';
import type { Random } from '../../support/random.ts';

/** Milliseconds by which a read of the counter is behind. */
const lag = 20;

/** One organization's limit, with the service's own samples and verdicts. */
export class SimulatedLimit {
  readonly #perSecond: number;
  readonly #random: Random;
  /** What the counter held from which time on, the last ones only. */
  readonly #writes = [{ at: 0, clearAt: 0 }];

  constructor(perSecond: number, random: Random) {
    this.#perSecond = perSecond;
    this.#random = random;
  }

  /** Whether a request that comes then is admitted. Counts it, if it is one of those. */
  admits(now: number): boolean {
    const writes = this.#writes;
    while (writes.length > 1 && writes[1]!.at <= now - lag) writes.shift();
    if (!judge({ clearAt: writes[0]!.clearAt }, now, this.#perSecond).admitted) return false;
    this.count(now, 1);
    return true;
  }

  /** Counts that much more, by dice. */
  count(now: number, requests: number): void {
    const counted = sample(requests, sampleEvery, this.#random);
    if (counted === 0) return;
    const from = Math.max(now, this.#writes.at(-1)!.clearAt);
    this.#writes.push({ at: now, clearAt: from + (counted * 1000) / this.#perSecond });
  }
}

/** Milliseconds until the next of so many requests a second, which come at random times. */
export const untilNext = (perSecond: number, random: Random): number =>
  (-Math.log(1 - random()) / perSecond) * 1000;
