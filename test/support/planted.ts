import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inject } from 'vitest';

/** Values that are nowhere else: whatever holds one of them holds something that was planted. */
export class Planted {
  readonly values = new Set<string>();

  keep<T extends string | number>(value: T): T {
    this.values.add(String(value));
    return value;
  }

  word(): string {
    return this.keep(`p${randomUUID().slice(0, 13)}`);
  }

  email(): string {
    return `${this.word()}@example.com`;
  }

  digits(count: number): string {
    return this.keep(digits(count));
  }

  date(): string {
    return this.keep(`${digits(4)}-0${digits(1)}-1${digits(1)}`);
  }

  /** Those that a text holds, in whatever case. */
  in(text: string): string[] {
    const lower = text.toLowerCase();
    return [...this.values].filter((value) => lower.includes(value));
  }
}

/** From 1 to 9. */
const digits = (count: number): string =>
  Array.from({ length: count }, () => randomInt(1, 10)).join('');

/** The log of every function, as far as it is written. */
export const logLines = (): string => readFileSync(inject('service').logFile, 'utf8');
