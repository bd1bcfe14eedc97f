import { crc32 } from 'node:zlib';
import { inject } from 'vitest';
import { random, seed } from './random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    quick: boolean;
  }
}

/** Whether this is `npm test`: of what is tried in very many ways, it tries some, and `npm run test:all` all. */
export const quick = inject('quick');

/** How often chance is to try something: in `npm test` so often, else always as in `all`. */
export const times = (inShort: number, all: number): number => (quick ? inShort : all);

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
