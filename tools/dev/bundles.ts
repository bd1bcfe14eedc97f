import { randomUUID } from 'node:crypto';
import { statSync, unwatchFile, watchFile } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, type Processes } from '@leads-and-stars/runner';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { functionFiles } from '../../infra/operations.ts';
import { runEsbuild } from './esbuild.ts';

const root = join(import.meta.dirname, '../..');
const kept = join(root, 'node_modules/.cache/leads-and-stars/bundles');
/** What esbuild reads besides, and what it is itself. */
const alsoRead = ['package-lock.json', 'tsconfig.json', 'infra/bundle-options.ts'];
/** Bundles that nobody has found for so many milliseconds can go. */
const keptFor = 10 * 60_000;

/** Files by their paths from the root, each with its size and time. */
export type Inputs = Record<string, string>;

export interface Bundles {
  /** `<name of the function's file>/function.js` for each. It is there for ten minutes at least. */
  directory: string;
  /** All that they were made of. */
  inputs: Inputs;
}

const fileAt = (path: string) => statSync(join(root, path), { throwIfNoEntry: false });

const asItIs = (path: string): string => {
  const file = fileAt(path);
  return `${file?.size} ${file?.mtimeMs}`;
};

/** Whether none of these files has changed. */
const areAsBefore = (inputs: Inputs): boolean =>
  Object.entries(inputs).every(([path, before]) => asItIs(path) === before);

/** Milliseconds between two looks at a file. A file system that tells of changes is not everywhere. */
const interval = 300;

/** Calls once when a file of the project itself changes, dependencies apart. Answers how to end that. */
export const onceChanged = (inputs: Inputs, changed: () => void): (() => void) => {
  const paths = Object.keys(inputs).filter((path) => !path.includes('node_modules/'));
  const files = paths.map((path) => join(root, path));
  let told = false;
  const end = () => {
    for (const file of files) unwatchFile(file);
  };
  const tell = () => {
    end();
    if (!told) changed();
    told = true;
  };
  for (const file of files) watchFile(file, { interval, persistent: false }, tell);
  // What changed since they were read.
  if (paths.some((path) => asItIs(path) !== inputs[path])) tell();
  return end;
};

/**
 * Bundles the functions, or finds the bundles that were made of the very same files before. Throws a `CliError` with
 * esbuild's words where they do not compile.
 */
export const makeBundles = async (processes?: Processes): Promise<Bundles> => {
  const files = await functionFiles();
  await mkdir(kept, { recursive: true });
  return (await findBundles(files)) ?? (await buildBundles(files, processes));
};

/** Of what is kept: `bundles.json` says which functions it has, and of what. */
interface Kept {
  root: string;
  files: string[];
  inputs: Inputs;
}

const findBundles = async (files: string[]): Promise<Bundles | undefined> => {
  for (const name of await readdir(kept)) {
    const directory = join(kept, name);
    const told = await readFile(join(directory, 'bundles.json'), 'utf8').catch(() => undefined);
    if (!told) continue;
    const { inputs, ...of } = JSON.parse(told) as Kept;
    const same = of.root === root && of.files.join() === files.join();
    if (!same || !areAsBefore(inputs)) continue;
    const now = new Date();
    // Somebody else may be removing it.
    const stays = await utimes(directory, now, now).then(
      () => true,
      () => false,
    );
    if (stays) return { directory, inputs };
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
    const paths = [...read, ...alsoRead];
    // What changed meanwhile may have been read before or after: it is another one, whatever it is.
    const asRead = (path: string) =>
      Number(fileAt(path)?.mtimeMs) >= from ? 'unknown' : asItIs(path);
    const inputs = Object.fromEntries(paths.map((path) => [path, asRead(path)]));
    const told: Kept = { root, files, inputs };
    await writeFile(join(unfinished, 'bundles.json'), JSON.stringify(told));
    await rename(unfinished, directory);
    await removeOld();
    return { directory, inputs };
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
