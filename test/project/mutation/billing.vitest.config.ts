import { inProcess } from './in-process-tests.ts';

/** The tests of billing. */
export default inProcess({
  include: ['test/unit/billing/**/*.test.ts', 'test/api/billing/*.test.ts'],
  // One takes long, and change-wallet has what it is about. The other has a table of its own, and opens it for all.
  exclude: ['test/api/billing/{races,most-plans}.test.ts'],
});
