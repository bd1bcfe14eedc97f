import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleOptions } from '../../../infra/bundle-options.ts';

const bench = join(import.meta.dirname, '..');

/** For what is bundled as ESM, with parts that still call `require`. */
export const asEsm = {
  format: 'esm',
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} satisfies BuildOptions;

/** A bundle, made as the service's own are unless it is told otherwise. */
export const bundled = async (
  file: string,
  directory: string,
  name: string,
  options: BuildOptions = {},
): Promise<string> => {
  const outfile = join(directory, name, options.format === 'esm' ? 'index.mjs' : 'index.js');
  await build({
    ...bundleOptions,
    entryPoints: [file],
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

/** Of all code that lies beside the file, and of itself. */
export const kilobytes = (file: string): number => {
  const files = readdirSync(dirname(file)).filter((name) => /\.m?js$/.test(name));
  const bytes = files.map((name) => statSync(join(dirname(file), name)).size);
  return Math.round(bytes.reduce((a, b) => a + b) / 1024);
};

export const peer = (name: string): string => join(bench, 'peers', `${name}.ts`);
export const ownFunction = (name: string): string => join(bench, '../../functions', `${name}.ts`);
