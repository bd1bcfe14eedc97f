import { createInterface } from 'node:readline';
import { stop } from '@leads-and-stars/runner';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { startEsbuild } from './esbuild.ts';

/**
 * Bundles files into `<directory>/<name>/function.js`, and again whenever what they are made of changes. Each build is
 * told once it is there, one after the other, with esbuild's words for what does not compile. It ends as soon as this
 * process does.
 */
export const buildOnChange = (
  files: readonly string[],
  directory: string,
  built: (errors: string | undefined) => Promise<void>,
): { close: () => Promise<void> } => {
  const options = { ...bundleOptions, outdir: directory, watch: true, logLevel: 'info' };
  // When its standard input ends, so does esbuild.
  const child = startEsbuild(files, options, { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  const telling = tellBuilds(createInterface({ input: child.stderr! }), built);
  return {
    close: async () => {
      await stop(child);
      await telling;
    },
  };
};

const tellBuilds = async (
  lines: AsyncIterable<string>,
  built: (errors: string | undefined) => Promise<void>,
): Promise<void> => {
  let said = '';
  for await (const line of lines) {
    if (line.startsWith('[watch] build finished')) {
      await built(said.includes('[ERROR]') ? said.trim() : undefined);
      said = '';
    } else if (!line.startsWith('[watch]')) said += `${line}\n`;
  }
  await built(said.trim() || 'esbuild has ended.');
};
