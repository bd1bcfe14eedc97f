import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildResult, context, formatMessages, type Plugin } from 'esbuild';
import { bundleOptions } from '../bundle-options.ts';
import { type FunctionSource, loadOperations } from '../operations.ts';
import type { LocalFunction } from './assembly.ts';
import type { Lambda } from './lambda.ts';

interface Source extends FunctionSource {
  fn: LocalFunction;
}

interface ReloadOptions {
  /** For the bundles of what has changed. */
  directory: string;
  /** Told what was reloaded, or why nothing can be. */
  say: (text: string) => void;
}

/**
 * Watches what the functions are made of. One that becomes another bundle by a change runs that from its
 * next event on; while something does not compile, all go on as they are.
 */
export const reloadOnChange = async (
  functions: readonly LocalFunction[],
  lambda: Lambda,
  { directory, say }: ReloadOptions,
): Promise<{ close: () => Promise<void> }> => {
  const sources = (await loadOperations()).flatMap((source): Source[] => {
    const fn = functions.find(({ name }) => name.endsWith(`-${source.operation.id}`));
    return fn ? [{ ...source, fn }] : [];
  });
  let version = 0;
  let broken = false;

  const reload = async ({ outputFiles = [] }: BuildResult): Promise<void> => {
    version++;
    const reloaded: string[] = [];
    for (const source of sources) {
      const { operation, fn } = source;
      const made = outputFiles.find(({ path }) =>
        path.endsWith(join('/', operation.id, 'index.js')),
      );
      if (!made || made.text === (await readFile(join(fn.code, 'index.js'), 'utf8'))) continue;
      fn.code = join(directory, `${operation.id}-${version}`);
      await mkdir(fn.code, { recursive: true });
      await writeFile(join(fn.code, 'index.js'), made.contents);
      lambda.renew(fn);
      reloaded.push(operation.id);
      if (await isDefinedAnew(source, version)) {
        say(
          `${basename(source.file)} defines another route or other permissions: start again for these.`,
        );
      }
    }
    if (reloaded.length > 0) say(`Reloaded ${reloaded.join(', ')}.`);
    else if (broken) say('It compiles again, to what runs already.');
    broken = false;
  };

  const told: Plugin = {
    name: 'reload',
    setup: (build) =>
      build.onEnd(async (result) => {
        if (result.errors.length === 0) return reload(result);
        broken = true;
        const errors = await formatMessages(result.errors, { kind: 'error' });
        say(`${errors.join('').trim()}\nThis does not compile. What ran before goes on.`);
      }),
  };
  const building = await context({
    ...bundleOptions,
    entryPoints: Object.fromEntries(sources.map(({ operation, file }) => [operation.id, file])),
    entryNames: '[name]/index',
    outdir: directory,
    write: false,
    logLevel: 'silent',
    plugins: [told],
  });
  await building.watch();
  return { close: () => building.dispose() };
};

/** Whether what the template was made of is another now. A file that can't be loaded says so when it runs. */
const isDefinedAnew = async ({ operation, file }: FunctionSource, version: number) => {
  const definition = (of: object) => {
    const { method, path, table, events } = of as Record<string, unknown>;
    return JSON.stringify([method, path, table, events]);
  };
  try {
    const loaded = await import(`${file}?${version}`);
    return definition(loaded.operation) !== definition(operation);
  } catch {
    return false;
  }
};
