import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, type Processes } from '@leads-and-stars/runner';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { functionFiles } from '../../infra/operations.ts';
import { runEsbuild } from './esbuild.ts';
import { type Inputs, inputsOf, root } from './inputs.ts';
import { findOrMake } from './kept.ts';

/** What esbuild reads besides, and what it is itself. */
const alsoRead = ['package-lock.json', 'tsconfig.json', 'infra/bundle-options.ts'];

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
  return findOrMake(
    'bundles',
    (told: Omit<Bundles, 'directory'>) => told.files.join() === files.join(),
    async (outdir) => {
      const from = Date.now();
      const metafile = join(outdir, 'metafile.json');
      const options = { ...bundleOptions, outdir, metafile };
      const errors = await runEsbuild(files, options, root, processes);
      if (errors) throw new CliError(`The functions do not compile:\n${errors}`);
      const read = Object.keys(JSON.parse(await readFile(metafile, 'utf8')).inputs);
      return { files, inputs: inputsOf([...read, ...alsoRead], from) };
    },
  );
};
