import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions } from '../../../infra/bundle-options.ts';

const bench = join(import.meta.dirname, '..');

/** Bundles a peer, as the service's own functions are unless it is told otherwise. */
export const bundlePeer = async (
  name: string,
  directory: string,
  options: BuildOptions = {},
): Promise<string> => {
  const outfile = join(directory, name, 'index.js');
  await build({
    ...bundleOptions,
    entryPoints: [join(bench, 'peers', `${name}.ts`)],
    outfile,
    tsconfig: join(bench, 'tsconfig.json'),
    // What Nest asks for only where it is installed.
    external: [
      '@nestjs/microservices',
      '@nestjs/websockets',
      'class-transformer',
      'class-validator',
    ],
    ...options,
  });
  return outfile;
};

export const kilobytes = (file: string): number => Math.round(statSync(file).size / 1024);
