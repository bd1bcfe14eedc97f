import { area } from './areas.ts';

const { mutate, break: least } = area();

/**
 * Mutation testing, `npm run mutation`: the code is changed in small ways, one at a time, and each
 * time a test should fail. Only tests that run the code in their own process can see the changes.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate,
  testRunner: 'vitest',
  vitest: {
    configFile: 'test/project/mutation/vitest.config.ts',
    // It sees only what a file imports by name, and handlers are imported by the names of their files.
    related: false,
  },
  plugins: ['@stryker-mutator/vitest-runner', './test/project/mutation/documentation.js'],
  ignorers: ['documentation'],
  coverageAnalysis: 'perTest',
  // What runs when a module is loaded needs every test again, for each change.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 15_000,
  // Stryker would rewrite tsconfig.json with functions that TypeScript 7 does not have.
  // What else it need not copy: in .local/ are the keys and data of a service that runs.
  ignorePatterns: ['tsconfig.json', 'reports', '.stryker-tmp', '.local'],
  reporters: ['progress', 'clear-text', 'json'],
  jsonReporter: { fileName: `reports/mutation/${process.env.MUTATED_AREA}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { break: least },
};
