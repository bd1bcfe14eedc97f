/** The progress of an import: a line that is written over on a terminal, and a line every ten seconds elsewhere. */
export class Progress {
  readonly #total: number;
  readonly #before: number;
  readonly #startedAt = Date.now();
  readonly #isTerminal = process.stderr.isTTY === true;
  #rows: number;
  #shownAt = 0;

  /** `rows` of `total` were done before this run. */
  constructor(total: number, rows = 0) {
    this.#total = total;
    this.#before = rows;
    this.#rows = rows;
  }

  add(rows: number): void {
    this.#rows += rows;
    const every = this.#isTerminal ? 100 : 10_000;
    if (Date.now() - this.#shownAt < every) return;
    this.#shownAt = Date.now();
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${this.#line()}` : `${this.#line()}\n`);
  }

  end(): void {
    if (this.#isTerminal) process.stderr.write(`\r\u001b[K`);
  }

  #line(): string {
    const share = this.#total === 0 ? 1 : this.#rows / this.#total;
    const seconds = Math.max(0.001, (Date.now() - this.#startedAt) / 1000);
    const rate = (this.#rows - this.#before) / seconds;
    const left = rate > 0 ? time((this.#total - this.#rows) / rate) : '?';
    const full = Math.round(share * width);
    const bar = '█'.repeat(full) + '░'.repeat(width - full);
    return `${bar} ${this.#rows} of ${this.#total} rows, ${Math.round(rate)} rows/s, ${left} left`;
  }
}

const width = 24;

const time = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
