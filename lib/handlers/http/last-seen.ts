/** The texts that were added last, up to a given number of them. */
export class LastSeen {
  readonly #most: number;
  readonly #all = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  has(text: string): boolean {
    return this.#all.has(text);
  }

  add(text: string): void {
    // A set keeps the order in which its elements came.
    this.#all.delete(text);
    this.#all.add(text);
    if (this.#all.size <= this.#most) return;
    for (const oldest of this.#all) {
      this.#all.delete(oldest);
      return;
    }
  }

  delete(text: string): void {
    this.#all.delete(text);
  }
}
