/** The values that were set last, by name, up to a given number of names. */
export class RecentMap<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: T): void {
    // A map keeps the order in which its names came.
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size <= this.#most) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }

  delete(name: string): void {
    this.#values.delete(name);
  }
}

/** The names that were added last, up to a given number of them. */
export class RecentSet extends RecentMap<true> {
  has(name: string): boolean {
    return this.get(name) === true;
  }

  add(name: string): void {
    this.set(name, true);
  }
}
