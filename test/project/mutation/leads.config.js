import chain from './stryker.config.js';

/** `npm run mutation:leads`: the same for leads, by their tests over HTTP. */
export default {
  ...chain,
  mutate: ['lib/leads/**/*.ts'],
  vitest: { ...chain.vitest, configFile: 'test/project/mutation/leads.vitest.config.ts' },
  thresholds: { break: 85 },
  jsonReporter: { fileName: 'reports/mutation/leads.json' },
};
