import { basename, join } from 'node:path';
import type { BuildOptions } from 'esbuild';

// docs/decisions/function-per-operation.md
/**
 * How a function becomes one file: for a deployment, and again when the runner reloads it. Of those tried, these start
 * fastest: a cold `createLead` took 1.07 × as an ES module, 1.2 × with esbuild's own `mainFields`.
 */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  // The SDK calls import('node:http') where it connects without TLS, as to the engine on this machine. Node.js then
  // loads all that the module can give, another HTTP client too. A `require` does not.
  supported: { 'dynamic-import': false },
  alias: {
    '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'environment-credentials.ts'),
  },
  logLevel: 'warning',
} satisfies BuildOptions;

/** The name of the bundle of a function's file. */
export const nameOf = (file: string): string => basename(file, '.ts');
