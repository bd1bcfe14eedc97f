import long from './stryker.config.js';

/** The short form of `npm run mutation`. */
export default {
  ...long,
  mutate: ['lib/operations/permissions.ts', 'lib/schema/cursor.ts'],
  vitest: { configFile: 'test/project/mutation/short-form.vitest.config.ts' },
  ignoreStatic: false,
  concurrency: 1,
  reporters: [],
  logLevel: 'error',
  // Of its own: the long form may be running.
  tempDirName: '.stryker-tmp/short-form',
};
