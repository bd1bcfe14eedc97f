import billing from './billing.config.js';

/** `npm run mutation:leads`: the same for leads, by their tests over HTTP. */
export default {
  ...billing,
  mutate: ['lib/leads/*.ts'],
  vitest: { ...billing.vitest, configFile: 'test/project/mutation/leads.vitest.config.ts' },
  jsonReporter: { fileName: 'reports/mutation/leads.json' },
};
