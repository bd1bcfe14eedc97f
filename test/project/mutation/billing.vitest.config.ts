import { inProcess } from './in-process-tests.ts';

/** The tests of billing. */
export default inProcess({
  include: [
    'test/unit/{apply-event,compartments,plans,rules,rules.property,subscription-rules,wallet-events,wallet-races,wallet-rules}.test.ts',
    'test/unit/holds/*.test.ts',
    'test/api/billing/*.test.ts',
  ],
  // One takes long, and wallet-races has what it is about. The other has a table of its own, and opens it for all.
  exclude: ['test/api/billing/{races,most-plans}.test.ts'],
});
