/** A value for each of the names that were set last, up to a given number of them. */
export class LastSeen<T> {
  readonly #most: number;
  readonly #all = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  has(name: string): boolean {
    return this.#all.has(name);
  }

  get(name: string): T | undefined {
    return this.#all.get(name);
  }

  set(name: string, value: T): void {
    // A map keeps the order in which its entries came.
    this.#all.delete(name);
    this.#all.set(name, value);
    if (this.#all.size <= this.#most) return;
    for (const oldest of this.#all.keys()) {
      this.#all.delete(oldest);
      return;
    }
  }

  delete(name: string): void {
    this.#all.delete(name);
  }
}
