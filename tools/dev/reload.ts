import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { functionOf, type Lambda, type LocalFunction, stop } from '@leads-and-stars/runner';
import { bundleOptions, nameOf } from '../../infra/bundle-options.ts';
import { type FunctionFile, loadOperations } from '../../infra/operations.ts';
import { temporaryDirectory } from './temporary-directory.ts';

interface ReloadableFunction extends FunctionFile {
  fn: LocalFunction;
}

/** What was synthesized, and runs. */
interface Running {
  assembly: { functions: readonly LocalFunction[] };
  lambda: Lambda;
}

/**
 * Bundles the functions whenever their sources change, and restarts those that became other code by it. While something
 * does not compile, all go on as they are. `say` is told of either.
 */
export const reloadOnChange = async (
  { assembly, lambda }: Running,
  say: (text: string) => void,
): Promise<{ close: () => Promise<void> }> => {
  const directory = await temporaryDirectory('bundles');
  const built = join(directory, 'built');
  const functions = (await loadOperations()).flatMap((functionFile): ReloadableFunction[] => {
    const fn = functionOf(assembly.functions, functionFile.operation.id);
    return fn ? [{ ...functionFile, fn }] : [];
  });
  let build = 0;
  let broken = false;

  const reload = async (errors: string) => {
    build++;
    if (errors) {
      broken = true;
      return say(`${errors}\nThis does not compile. What ran before goes on.`);
    }
    const reloaded: string[] = [];
    for (const { operation, file, fn } of functions) {
      const made = join(built, nameOf(file), 'function.js');
      const code = join(directory, `${build}`, operation.id);
      if (!(await replaceCode(fn, made, code))) continue;
      lambda.renew(fn);
      reloaded.push(operation.id);
      if (await isDefinedAnew({ operation, file }, build)) {
        say(`${basename(file)} defines another route or other permissions: start again for these.`);
      }
    }
    if (reloaded.length > 0) say(`Reloaded ${reloaded.join(', ')}.`);
    else if (broken) say('It compiles again, to what runs already.');
    broken = false;
  };

  const files = functions.map(({ file }) => file);
  const esbuild = startEsbuild(files, { ...bundleOptions, outdir: built });
  const reading = readBuilds(createInterface({ input: esbuild.stderr! }), reload);
  return {
    close: async () => {
      await stop(esbuild);
      await reading;
    },
  };
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

/** Whether the function gets other code by it: a change need not reach all of them. */
const replaceCode = async (fn: LocalFunction, made: string, directory: string) => {
  const [before, after] = await Promise.all([
    readFile(join(fn.code, 'function.js')),
    readFile(made),
  ]);
  if (after.equals(before)) return false;
  await mkdir(directory, { recursive: true });
  await copyFile(made, join(directory, 'function.js'));
  fn.code = directory;
  return true;
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
