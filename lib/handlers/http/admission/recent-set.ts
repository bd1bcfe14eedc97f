/** The names that were added last, up to a given number of them. */
export class RecentSet {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add(name: string): void {
    // A set keeps the order in which its members came.
    this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size <= this.#most) return;
    for (const oldest of this.#names) {
      this.#names.delete(oldest);
      return;
    }
  }

  delete(name: string): void {
    this.#names.delete(name);
  }
}
