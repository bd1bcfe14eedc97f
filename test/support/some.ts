import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { inject } from 'vitest';
import { random } from '../faults/random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    quick: boolean;
  }
}

/** Whether this is `npm test`: of what is tried in very many ways, it tries some, and `npm run test:all` all. */
export const quick = inject('quick');

/** Of what is chosen by chance. To be printed where a test chooses; `SEED` repeats it. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 31));

/** In `npm test`, so many of them by chance, in their order; else all. `of` says what for: each has its own choice. */
export const some = <T>(all: readonly T[], count: number, of: string): T[] => {
  if (!quick || all.length <= count) return [...all];
  const next = random(seed ^ crc32(of));
  const left = all.map((_, i) => i);
  const chosen = Array.from({ length: count }, () => {
    const [place] = left.splice(Math.floor(next() * left.length), 1);
    return place!;
  });
  return chosen.sort((a, b) => a - b).map((i) => all[i]!);
};
