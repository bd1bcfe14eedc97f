import others from './stryker.config.js';

/** `npm run mutation:leads`: the same for leads, by their tests over HTTP. */
export default {
  ...others,
  mutate: ['lib/leads/*.ts'],
  vitest: {
    configFile: 'test/project/mutation/leads.vitest.config.ts',
    // It sees only what a file imports by name, and handlers are imported by the names of their files.
    related: false,
  },
  jsonReporter: { fileName: 'reports/mutation/leads.json' },
};
