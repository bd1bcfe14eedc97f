process.env.MUTATED_AREA = 'short form';
const { default: long } = await import('./stryker.config.js');

/** The short form of `npm run mutation`. */
export default {
  ...long,
  ignoreStatic: false,
  concurrency: 1,
  reporters: [],
  logLevel: 'error',
  // Of its own: the long form may be running.
  tempDirName: '.stryker-tmp/short-form',
};
