import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, type Processes } from '@leads-and-stars/runner';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { functionFiles } from '../../infra/operations.ts';
import { runEsbuild } from './esbuild.ts';
import { areAsBefore, type Inputs, inputsOf, root } from './inputs.ts';

const kept = join(root, 'node_modules/.cache/leads-and-stars/bundles');
/** What esbuild reads besides, and what it is itself. */
const alsoRead = ['package-lock.json', 'tsconfig.json', 'infra/bundle-options.ts'];
/** Bundles that nobody has found for so many milliseconds can go. */
const keptFor = 10 * 60_000;

export interface Bundles {
  /** `<name of the function's file>/function.js` for each. It is there for ten minutes at least. */
  directory: string;
  /** The functions' files, … */
  files: string[];
  /** … and all that the bundles were made of. */
  inputs: Inputs;
}

/**
 * Bundles the functions, or finds the bundles that were made of the very same files before. Throws a `CliError` with
 * esbuild's words where they do not compile.
 */
export const makeBundles = async (processes?: Processes): Promise<Bundles> => {
  const files = await functionFiles();
  await mkdir(kept, { recursive: true });
  return (await findBundles(files)) ?? (await buildBundles(files, processes));
};

/** What `bundles.json` says of bundles that are kept. */
type Kept = Omit<Bundles, 'directory'>;

const findBundles = async (files: string[]): Promise<Bundles | undefined> => {
  for (const name of await readdir(kept)) {
    const directory = join(kept, name);
    const told = await readFile(join(directory, 'bundles.json'), 'utf8').catch(() => undefined);
    if (!told) continue;
    const made = JSON.parse(told) as Kept;
    if (made.files.join() !== files.join() || !areAsBefore(made.inputs)) continue;
    const now = new Date();
    // Somebody else may be removing it.
    const stays = await utimes(directory, now, now).then(
      () => true,
      () => false,
    );
    if (stays) return { directory, ...made };
  }
  return undefined;
};

const buildBundles = async (files: string[], processes?: Processes): Promise<Bundles> => {
  const from = Date.now();
  const directory = join(kept, randomUUID());
  const unfinished = `${directory}.unfinished`;
  const metafile = join(unfinished, 'metafile.json');
  const options = { ...bundleOptions, outdir: unfinished, metafile };
  await mkdir(unfinished);
  try {
    const errors = await runEsbuild(files, options, root, processes);
    if (errors) throw new CliError(`The functions do not compile:\n${errors}`);
    const read = Object.keys(JSON.parse(await readFile(metafile, 'utf8')).inputs);
    const made: Kept = { files, inputs: inputsOf([...read, ...alsoRead], from) };
    await writeFile(join(unfinished, 'bundles.json'), JSON.stringify(made));
    await rename(unfinished, directory);
    await removeOld();
    return { directory, ...made };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
};

const removeOld = async (): Promise<void> => {
  for (const name of await readdir(kept)) {
    const directory = join(kept, name);
    const made = await stat(directory).catch(() => undefined);
    if (made && made.mtimeMs < Date.now() - keptFor)
      await rm(directory, { recursive: true, force: true });
  }
};
