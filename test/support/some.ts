import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { random } from '../faults/random.ts';

/** Tests that could try very many things try all of them with `TRY=all`. */
export const tryAll = process.env.TRY === 'all';

/** Of what is chosen by chance. To be printed where a test chooses; `SEED` repeats it. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 31));

/** So many of them by chance, in their order, or all with `TRY=all`. `of` says what for: each has a choice of its own. */
export const some = <T>(all: readonly T[], count: number, of: string): T[] => {
  if (tryAll || all.length <= count) return [...all];
  const next = random(seed ^ crc32(of));
  const left = all.map((_, i) => i);
  const chosen = Array.from({ length: count }, () => {
    const [place] = left.splice(Math.floor(next() * left.length), 1);
    return place!;
  });
  return chosen.sort((a, b) => a - b).map((i) => all[i]!);
};
