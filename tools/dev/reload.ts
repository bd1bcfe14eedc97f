import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  CliError,
  functionOf,
  type Lambda,
  type LocalFunction,
  stop,
} from '@leads-and-stars/runner';
import { bundleOptions, nameOf } from '../../infra/bundle-options.ts';
import { type FunctionFile, loadOperations } from '../../infra/operations.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** What was synthesized, and runs. */
interface Running {
  assembly: { functions: readonly LocalFunction[] };
  lambda: Lambda;
}

/** The functions' bundles, built by the one process that also builds them again. */
export interface WatchedBundles {
  /** Where the bundle of a function is, as it was built first. */
  codeOf: (fn: LocalFunction) => string;
  /** From now on, restarts the functions that become other code. `say` is told of it, and of what does not compile. */
  reload: (running: Running, say: (text: string) => void) => void;
  close: () => Promise<void>;
}

/** Bundles the functions, and again whenever their sources change. Fails if they do not compile. */
export const watchBundles = async (): Promise<WatchedBundles> => {
  const directory = await temporaryDirectory('bundles');
  const functionFiles = await loadOperations();
  const bundleOf: BundleOf = (build, { file }) => join(directory, `${build}`, nameOf(file));
  const files = functionFiles.map(({ file }) => file);
  const esbuild = startEsbuild(files, { ...bundleOptions, outdir: join(directory, 'newest') });
  let onStart: () => void = () => undefined;
  const builds = buildsIn(createInterface({ input: esbuild.stderr! }), () => onStart());
  const { done, value: errors } = await builds.next();
  if (done || errors) {
    await stop(esbuild);
    if (done) throw new CliError('esbuild ended before it had bundled the functions.');
    throw new CliError(`${errors}\nThis does not compile.`);
  }
  for (const one of functionFiles) await copyBundle(bundleOf('newest', one), bundleOf(0, one));
  let reading: Promise<void> | undefined;
  return {
    codeOf: (fn) =>
      bundleOf(0, functionFiles.find(({ operation }) => functionOf([fn], operation.id))!),
    reload: (running, say) => {
      onStart = () => say('Bundling …');
      reading = reloadEach(builds, functionFiles, bundleOf, running, say);
    },
    close: async () => {
      await stop(esbuild);
      await reading;
    },
  };
};

/** The directory of a function's bundle: of the newest build, which the next one replaces, or as a build is kept. */
type BundleOf = (build: number | 'newest', one: FunctionFile) => string;

/** After each build, has the functions that became other code run it. While it does not compile, all go on as they are. */
const reloadEach = async (
  builds: AsyncIterable<string>,
  functionFiles: readonly FunctionFile[],
  bundleOf: BundleOf,
  { assembly, lambda }: Running,
  say: (text: string) => void,
): Promise<void> => {
  let build = 0;
  let broken = false;
  for await (const errors of builds) {
    build++;
    if (errors) {
      broken = true;
      say(`${errors}\nThis does not compile. What ran before goes on.`);
      continue;
    }
    const reloaded: string[] = [];
    for (const one of functionFiles) {
      const fn = functionOf(assembly.functions, one.operation.id);
      const made = bundleOf('newest', one);
      if (!fn || (await isSameBundle(fn.code, made))) continue;
      const code = bundleOf(build, one);
      await copyBundle(made, code);
      fn.code = code;
      lambda.renew(fn);
      reloaded.push(one.operation.id);
      if (await isDefinedAnew(one, build)) {
        const name = basename(one.file);
        say(`${name} defines another route or other permissions: start again for these.`);
      }
    }
    if (reloaded.length > 0) say(`Reloaded ${reloaded.join(', ')}.`);
    else if (broken) say('It compiles again, to what runs already.');
    broken = false;
  }
};

/**
 * Starts esbuild's command line, which watches, and ends when its standard input does. The process of its API would end
 * with this one only if it happens not to wait for it.
 */
const startEsbuild = (files: readonly string[], options: object): ChildProcess => {
  const program = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
  const all = { ...options, entryNames: '[name]/function', logLevel: 'info', logLimit: 0 };
  const args = [...flags(all), '--watch', ...files.map((file) => `${nameOf(file)}=${file}`)];
  // On Windows it is a script.
  const [command, ...first] =
    process.platform === 'win32' ? [process.execPath, program] : [program];
  return spawn(command!, [...first, ...args], {
    // It keeps all that it has read: 1.6 GB without a limit. With 400 MiB, a build takes three times as long.
    env: { GOMEMLIMIT: '1GiB', ...process.env },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
};

/** Options of esbuild's API as those of its command line. */
const flags = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    if (Array.isArray(value)) return [`${flag}=${value.join()}`];
    if (typeof value !== 'object') return [`${flag}=${value}`];
    return Object.entries(value).map(([key, inner]) => `${flag}:${key}=${inner}`);
  });

/** Each build once it is there: esbuild's words for what does not compile, or nothing. Each but the first is told as it starts. */
async function* buildsIn(
  lines: AsyncIterable<string>,
  onStart: () => void,
): AsyncGenerator<string, void> {
  let said = '';
  for await (const line of lines) {
    if (line.startsWith('[watch] build started')) onStart();
    if (line.startsWith('[watch] build finished')) {
      yield said.includes('[ERROR]') ? said.trim() : '';
      said = '';
    } else if (!line.startsWith('[watch]')) said += `${line}\n`;
  }
}

const copyBundle = async (from: string, to: string) => {
  await mkdir(to, { recursive: true });
  await copyFile(join(from, 'function.js'), join(to, 'function.js'));
};

/** A change need not reach all functions. */
const isSameBundle = async (one: string, other: string) => {
  const [before, after] = await Promise.all(
    [one, other].map((directory) => readFile(join(directory, 'function.js'))),
  );
  return after!.equals(before!);
};

/** Whether what the template was made of is another now. A file that can't be loaded says so when it runs. */
const isDefinedAnew = async ({ operation, file }: FunctionFile, build: number) => {
  const definition = (of: object) => {
    const { method, path, table, events } = of as Record<string, unknown>;
    return JSON.stringify([method, path, table, events]);
  };
  try {
    const loaded = await import(`${file}?${build}`);
    return definition(loaded.operation) !== definition(operation);
  } catch {
    return false;
  }
};
