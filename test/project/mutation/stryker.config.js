/**
 * Mutation testing, `npm run mutation`: the code is changed in small ways, one at a time, and each
 * time a test should fail. Only tests that run the code in their own process can see the changes. Those of leads
 * do so in `leads.config.js`.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [
    'lib/handlers/http/*.ts',
    'lib/operations/{error-body,errors,permissions,idempotency}.ts',
    'lib/schema/{issues,cursor,canonical,resource}.ts',
    'lib/billing/{wallet,balance,compartments,rules,star-rules,hold-rules,subscription-rules,refusals,stars,wallet-events,ledger}.ts',
    'lib/billing/{change-wallet,apply-event,holds,open-holds,read-balance}.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'test/unit/vitest.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner', './test/project/mutation/documentation.js'],
  ignorers: ['documentation'],
  coverageAnalysis: 'perTest',
  // What runs when a module is loaded needs every test again, for each change.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 15_000,
  // Stryker would rewrite tsconfig.json with functions that TypeScript 7 does not have.
  // What else it need not copy: in .local/ are the keys and data of a service that runs.
  ignorePatterns: ['tsconfig.json', 'docs', 'reports', '.stryker-tmp', '.local'],
  reporters: ['progress', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { break: 94 },
};
