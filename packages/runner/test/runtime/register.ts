import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === './rapid-client.node'
      ? { url: new URL('./rapid-client.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
