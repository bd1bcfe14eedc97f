import { inProcess } from './in-process-tests.ts';

/** The tests of billing. */
export default inProcess({
  include: ['test/unit/billing/**/*.test.ts', 'test/api/billing/*.test.ts'],
  // It takes long, and change-wallet has what it is about.
  exclude: ['test/api/billing/races.test.ts'],
});
