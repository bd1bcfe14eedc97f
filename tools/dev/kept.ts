import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { areAsBefore, type Inputs, root } from './inputs.ts';

const cache = join(root, 'node_modules/.cache/leads-and-stars');
/** Milliseconds after which what was kept can be deleted if nobody has used it. */
const keptFor = 10 * 60_000;
/** Ends the names of what is being made. */
const unfinished = '.unfinished';

/** What is said of something that was made. It has to be JSON. */
interface Made {
  /** All that it was made of. */
  inputs: Inputs;
}

/** With the directory that it is in, which is there for ten minutes at least. */
type Found<T extends Made> = T & { directory: string };

/**
 * Finds what was made before of the very same files, and `fits`, or makes it: in the directory that `make` is given.
 * Where that fails, nothing is kept.
 */
export const findOrMake = async <T extends Made>(
  kind: string,
  fits: (told: T) => boolean,
  make: (directory: string) => Promise<T>,
): Promise<Found<T>> => {
  const all = join(cache, kind);
  await mkdir(all, { recursive: true });
  return (await find(all, fits)) ?? (await makeIn(all, make));
};

const find = async <T extends Made>(
  all: string,
  fits: (told: T) => boolean,
): Promise<Found<T> | undefined> => {
  for (const name of await readdir(all)) {
    if (name.endsWith(unfinished)) continue;
    const directory = join(all, name);
    const text = await readFile(join(directory, 'told.json'), 'utf8').catch(() => undefined);
    if (!text) continue;
    const told = JSON.parse(text) as T;
    if (!fits(told) || !areAsBefore(told.inputs)) continue;
    const now = new Date();
    // Somebody else may be removing it.
    const stays = await utimes(directory, now, now).then(
      () => true,
      () => false,
    );
    if (stays) return { directory, ...told };
  }
  return undefined;
};

const makeIn = async <T extends Made>(
  all: string,
  make: (directory: string) => Promise<T>,
): Promise<Found<T>> => {
  const directory = join(all, randomUUID());
  const making = `${directory}${unfinished}`;
  await mkdir(making);
  try {
    const told = await make(making);
    await writeFile(join(making, 'told.json'), JSON.stringify(told));
    await rename(making, directory);
    await removeOld(all);
    return { directory, ...told };
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
};

const removeOld = async (all: string): Promise<void> => {
  for (const name of await readdir(all)) {
    const directory = join(all, name);
    const made = await stat(directory).catch(() => undefined);
    if (made && made.mtimeMs < Date.now() - keptFor)
      await rm(directory, { recursive: true, force: true });
  }
};
