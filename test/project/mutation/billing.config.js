import chain from './stryker.config.js';

/** `npm run mutation:billing`: the same for wallets and plans, by their tests through the bus and over HTTP. */
export default {
  ...chain,
  mutate: ['lib/billing/**/*.ts'],
  vitest: { ...chain.vitest, configFile: 'test/project/mutation/billing.vitest.config.ts' },
  thresholds: { break: 88 },
  jsonReporter: { fileName: 'reports/mutation/billing.json' },
};
