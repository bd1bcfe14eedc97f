import { type ChildProcess, spawn } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import {
  CliError,
  functionOf,
  type Lambda,
  type LocalFunction,
  stop,
} from '@leads-and-stars/runner';
import { nameOf } from '../../infra/bundle-options.ts';
import { type FunctionFile, loadOperations } from '../../infra/operations.ts';
import { codeIn, entryPoints, localBundleOptions } from '../service/bundles.ts';
import { temporaryDirectory } from '../service/temporary-directory.ts';

/** A build that was synthesized, and runs. */
interface RunningBuild {
  assembly: { functions: readonly LocalFunction[] };
  lambda: Lambda;
}

/** The functions' bundles, built by the process that also builds them again. */
export interface WatchedBundles {
  /** Where the bundle of a function is, as it was built first. */
  codeOf: (fn: LocalFunction) => string;
  /** From now on, restarts the functions that become other code. `say` is told of it, and of what does not compile. */
  reload: (running: RunningBuild, say: (text: string) => void) => void;
  close: () => Promise<void>;
}

/** Bundles the functions, and again whenever their sources change. Fails if they do not compile. */
export const watchBundles = async (): Promise<WatchedBundles> => {
  const directory = await temporaryDirectory('bundles');
  const functionFiles = await loadOperations();
  const newest = join(directory, 'newest');
  const keep: Keep = async (build) => {
    const kept = join(directory, `${build}`);
    await cp(newest, kept, { recursive: true });
    return kept;
  };
  const files = functionFiles.map(({ file }) => file);
  const esbuild = startEsbuild(entryPoints(files), { ...localBundleOptions, outdir: newest });
  let onStart: () => void = () => undefined;
  const builds = buildsIn(createInterface({ input: esbuild.stderr! }), () => onStart());
  const { done, value: errors } = await builds.next();
  if (done || errors) {
    await stop(esbuild);
    if (done) throw new CliError('esbuild ended before it had bundled the functions.');
    throw new CliError(`${errors}\nThis does not compile.`);
  }
  const codeOf = await codeIn(await keep(0));
  let reading: Promise<void> | undefined;
  return {
    codeOf,
    reload: (running, say) => {
      onStart = () => say('Bundling …');
      reading = reloadEach(builds, functionFiles, keep, running, say);
    },
    close: async () => {
      await stop(esbuild);
      await reading;
    },
  };
};

/** Keeps the newest build under a number, and answers where. */
type Keep = (build: number) => Promise<string>;

/** After each build, has the functions that became other code run it. While it does not compile, all go on as they are. */
const reloadEach = async (
  builds: AsyncIterable<string>,
  functionFiles: readonly FunctionFile[],
  keep: Keep,
  { assembly, lambda }: RunningBuild,
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
    const kept = await keep(build);
    for (const one of functionFiles) {
      const fn = functionOf(assembly.functions, one.operation.id);
      const code = join(kept, nameOf(one.file));
      if (!fn || (await isSameBundle(fn.code, code))) continue;
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
 * Starts esbuild's command line, which watches, and ends when its standard input does. A process of esbuild's API would
 * end with this process only if this process happens not to wait for it.
 */
const startEsbuild = (files: Record<string, string>, options: object): ChildProcess => {
  const program = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
  const all = { ...options, logLevel: 'info', logLimit: 0 };
  const entries = Object.entries(files).map(([name, file]) => `${name}=${file}`);
  const args = [...flags(all), '--watch', ...entries];
  // On Windows it is a script.
  const [command, ...first] =
    process.platform === 'win32' ? [process.execPath, program] : [program];
  return spawn(command!, [...first, ...args], {
    // esbuild keeps all that it has read: 1.6 GB without a limit. With 400 MiB, a build takes three times as long.
    env: { GOMEMLIMIT: '1GiB', ...process.env },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
};

/** Options of esbuild's API as those of its command line. */
const flags = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === 'boolean') return value ? [flag] : [];
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

/** A change need not reach all functions. What a bundle has of shared files, it has by names that change with them. */
const isSameBundle = async (one: string, other: string) => {
  const [before, after] = await Promise.all(
    [one, other].map((directory) => readFile(join(directory, 'function.mjs'))),
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
    const loaded = await import(`${pathToFileURL(file).href}?${build}`);
    return definition(loaded.operation) !== definition(operation);
  } catch {
    return false;
  }
};
