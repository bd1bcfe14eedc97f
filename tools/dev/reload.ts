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
  const built = join(directory, 'built');
  const functionFiles = await loadOperations();
  const kept = (build: number, { operation }: FunctionFile) =>
    join(directory, `${build}`, operation.id);
  const first = Promise.withResolvers<void>();
  const reloader = Promise.withResolvers<
    ((build: number, errors: string) => Promise<void>) | undefined
  >();
  let builds = 0;

  const take = async (errors: string) => {
    const build = builds++;
    if (build > 0) return (await reloader.promise)?.(build, errors);
    if (errors) return first.reject(new CliError(`${errors}\nThis does not compile.`));
    for (const one of functionFiles) await copyBundle(join(built, nameOf(one.file)), kept(0, one));
    first.resolve();
  };

  const reload: WatchedBundles['reload'] = ({ assembly, lambda }, say) => {
    let broken = false;
    reloader.resolve(async (build, errors) => {
      if (errors) {
        broken = true;
        return say(`${errors}\nThis does not compile. What ran before goes on.`);
      }
      const reloaded: string[] = [];
      for (const one of functionFiles) {
        const { operation, file } = one;
        const fn = functionOf(assembly.functions, operation.id);
        const made = join(built, nameOf(file));
        if (!fn || (await isSameBundle(fn.code, made))) continue;
        await copyBundle(made, kept(build, one));
        fn.code = kept(build, one);
        lambda.renew(fn);
        reloaded.push(operation.id);
        if (await isDefinedAnew(one, build)) {
          say(
            `${basename(file)} defines another route or other permissions: start again for these.`,
          );
        }
      }
      if (reloaded.length > 0) say(`Reloaded ${reloaded.join(', ')}.`);
      else if (broken) say('It compiles again, to what runs already.');
      broken = false;
    });
  };

  const files = functionFiles.map(({ file }) => file);
  const esbuild = startEsbuild(files, { ...bundleOptions, outdir: built });
  const reading = readBuilds(createInterface({ input: esbuild.stderr! }), take).finally(() =>
    first.reject(new CliError('esbuild ended before it had bundled the functions.')),
  );
  const close = async () => {
    reloader.resolve(undefined);
    await stop(esbuild);
    await reading;
  };
  try {
    await first.promise;
  } catch (error) {
    await close();
    throw error;
  }
  const codeOf: WatchedBundles['codeOf'] = (fn) =>
    kept(0, functionFiles.find(({ operation }) => functionOf([fn], operation.id))!);
  return { codeOf, reload, close };
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
    // It keeps all that it has read: 900 MB without a limit.
    env: { GOMEMLIMIT: '400MiB', ...process.env },
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

/** Hands on each build once it is there, one after the other, with esbuild's words for what does not compile. */
const readBuilds = async (
  lines: AsyncIterable<string>,
  built: (errors: string) => Promise<void>,
): Promise<void> => {
  let said = '';
  for await (const line of lines) {
    if (line.startsWith('[watch] build finished')) {
      await built(said.includes('[ERROR]') ? said.trim() : '');
      said = '';
    } else if (!line.startsWith('[watch]')) said += `${line}\n`;
  }
};

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
