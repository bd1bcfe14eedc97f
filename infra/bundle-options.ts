import type { BuildOptions } from 'esbuild';

/** How a function becomes one file: for a deployment, and again when the runner reloads it. */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
} as const satisfies BuildOptions;
