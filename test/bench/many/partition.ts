import { limits } from './limits.ts';

/** What a partition has left: filled by its limit, up to a second of it. */
export class Partition {
  #units: number = limits.writeUnitsASecond;
  #at = 0;

  has(units: number, now: number): boolean {
    const filled = this.#units + ((now - this.#at) * limits.writeUnitsASecond) / 1000;
    this.#units = Math.min(filled, limits.writeUnitsASecond);
    this.#at = now;
    return this.#units >= units;
  }

  take(units: number): void {
    this.#units -= units;
  }
}
