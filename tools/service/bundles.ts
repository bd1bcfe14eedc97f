import { join } from 'node:path';
import { functionOf, type LocalFunction } from '@leads-and-stars/runner';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions, nameOf } from '../../infra/bundle-options.ts';
import { listFiles, loadOperations } from '../../infra/operations.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/**
 * How functions are bundled to run on this machine: what they have in common is in files of its own. So all are made in a
 * tenth of the time of a deployment's bundles, which test/stack/runtime.test.ts runs.
 */
export const localBundleOptions = {
  ...bundleOptions,
  format: 'esm',
  splitting: true,
  minify: false,
  entryNames: '[name]/function',
  chunkNames: 'shared/[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  // Packages in CommonJS call it.
  banner: {
    js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
  },
} satisfies BuildOptions;

/** The files to bundle: the file of each function, by its bundle's name. */
export const entryPoints = (files: readonly string[]): Record<string, string> =>
  Object.fromEntries(files.map((file) => [nameOf(file), file]));

/** Bundles all functions into a directory. */
export const bundleInto = async (outdir: string): Promise<void> => {
  await build({ ...localBundleOptions, entryPoints: entryPoints(await listFiles()), outdir });
};

/** Bundles all functions for as long as this process runs. */
export const bundle = async (): Promise<{ codeOf: CodeOf }> => {
  const directory = await temporaryDirectory('bundles');
  await bundleInto(directory);
  return { codeOf: await codeIn(directory) };
};

type CodeOf = (fn: LocalFunction) => string;

/** Where the code of a function is, in such a directory. */
export const codeIn = async (directory: string): Promise<CodeOf> => {
  const operations = await loadOperations();
  return (fn) => {
    const { file } = operations.find(({ operation }) => functionOf([fn], operation.id))!;
    return join(directory, nameOf(file));
  };
};
