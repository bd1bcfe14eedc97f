import { registerHooks } from 'node:module';

// Has examples find the client where it is written, not where it is built.
const source = new URL('../../packages/client/src/index.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@leads-and-stars/client'
      ? { url: source, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
});
