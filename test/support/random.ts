import { randomInt } from 'node:crypto';

/** Of what a run chooses by chance. To be printed where a test chooses; `SEED` repeats it. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 31));

/** The next number from 0 to 1. */
export type Random = () => number;

/** mulberry32: the same numbers for the same seed. */
export const random = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
};

export const chance = (next: Random, probability: number): boolean => next() < probability;

export const pick = <T>(next: Random, values: readonly T[]): T =>
  values[Math.floor(next() * values.length)] as T;
