import chain from './stryker.config.js';

/** `npm run mutation:billing`: the same for wallets and plans, by their tests through the bus, by Invoke and over HTTP. */
export default {
  ...chain,
  mutate: ['lib/billing/*.ts'],
  vitest: {
    configFile: 'test/project/mutation/billing.vitest.config.ts',
    // It sees only what a file imports by name, and handlers are imported by the names of their files.
    related: false,
  },
  jsonReporter: { fileName: 'reports/mutation/billing.json' },
};
