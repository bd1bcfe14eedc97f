import { statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../../../infra/bundle-options.ts';

const peers = join(import.meta.dirname, '../peers');

/** Bundles a peer as the service's own functions are. */
export const bundlePeer = async (name: string, directory: string): Promise<string> => {
  const outfile = join(directory, name, 'index.js');
  await build({ ...bundleOptions, entryPoints: [join(peers, `${name}.ts`)], outfile });
  return outfile;
};

export const kilobytes = (file: string): number => Math.round(statSync(file).size / 1024);
